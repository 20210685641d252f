/**
 * Writes the validators of requests and responses in src/contract/generated from the schemas; with `--check` it only
 * tells whether they are up to date.
 */
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { format, resolveConfig } from 'prettier'
import { operations } from '../contract/operations.ts'
import { writeValidator } from './validators/write-validator.ts'

const folder = new URL('../contract/generated/', import.meta.url)

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const style = await resolveConfig(fileURLToPath(import.meta.url))
const files = new Map<string, string>()
for (const operation of operations.filter(({ documented }) => documented))
  files.set(`${operation.id}.ts`, await format(writeValidator(operation), { ...style, parser: 'typescript' }))
mkdirSync(folder, { recursive: true })
const present = readdirSync(folder)
const extra = present.filter((name) => !files.has(name))
const stale = [...files].filter(
  ([name, text]) => !present.includes(name) || readFileSync(new URL(name, folder), 'utf8') !== text,
)

if (!values.check) {
  for (const name of extra) rmSync(new URL(name, folder))
  for (const [name, text] of stale) writeFileSync(new URL(name, folder), text)
} else if (extra.length + stale.length > 0) {
  for (const name of [...extra, ...stale.map(([name]) => name)])
    console.error(`src/contract/generated/${name} does not match the schemas; run npm run validators`)
  process.exitCode = 1
}

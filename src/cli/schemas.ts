/**
 * Writes src/contract/generated from src/contract/schemas, as JSON Schema. With `--check`, it only checks that they are
 * up to date.
 */
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { format, resolveConfig } from 'prettier'
import { jsonSchemas } from '../contract/schemas/json-schema.ts'

const folder = new URL('../contract/generated/', import.meta.url)

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const style = await resolveConfig(fileURLToPath(import.meta.url))
const files = new Map<string, string>()
for (const [name, parts] of jsonSchemas()) {
  const code = [
    '// Written by `npm run schemas` from src/contract/schemas.',
    "import type { JsonSchema } from '../validate.ts'",
    ...parts.map(([part, schema]) => `export const ${part}: JsonSchema = ${JSON.stringify(schema)}`),
  ]
  files.set(`${name}.ts`, await format(code.join('\n\n'), { ...style, parser: 'typescript' }))
}
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
    console.error(`src/contract/generated/${name} does not match the schemas; run npm run schemas`)
  process.exitCode = 1
}

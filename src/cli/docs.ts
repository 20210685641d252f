/**
 * Writes the pages of docs/reference from the operation table, its schemas and the docstrings. With `--check`, it only
 * checks that they are up to date.
 */
import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { readDeclarations } from './docs/declarations.ts'
import { renderPages } from './docs/pages.ts'

const folder = new URL('../../docs/reference/', import.meta.url)

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const pages = renderPages(readDeclarations())
mkdirSync(folder, { recursive: true })
const present = readdirSync(folder)
const extra = present.filter((name) => !pages.has(name))
const stale = [...pages].filter(
  ([name, page]) => !present.includes(name) || readFileSync(new URL(name, folder), 'utf8') !== page,
)

if (!values.check) {
  for (const name of extra) rmSync(new URL(name, folder))
  for (const [name, page] of stale) writeFileSync(new URL(name, folder), page)
} else if (extra.length + stale.length > 0) {
  for (const name of extra)
    console.error(`docs/reference/${name} is not a page of the reference; run npm run docs`)
  for (const [name] of stale)
    console.error(`docs/reference/${name} does not match the sources; run npm run docs`)
  process.exitCode = 1
}

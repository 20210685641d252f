/**
 * Writes the pages of docs/reference and the texts of tools from the operation table, its schemas and the docstrings; with
 * `--check` it only tells whether they are up to date.
 */
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { readDeclarations } from './docs/declarations.ts'
import { renderPages } from './docs/pages.ts'
import { renderToolTexts } from './docs/tool-texts.ts'

const folder = new URL('../../docs/reference/', import.meta.url)
const toolTexts = new URL('../tools/param-texts.ts', import.meta.url)

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const declarations = readDeclarations()
const pages = renderPages(declarations)
const texts = await renderToolTexts(declarations, fileURLToPath(toolTexts))
const hasStaleTexts = !existsSync(toolTexts) || readFileSync(toolTexts, 'utf8') !== texts
mkdirSync(folder, { recursive: true })
const present = readdirSync(folder)
const extra = present.filter((name) => !pages.has(name))
const stale = [...pages].filter(
  ([name, page]) => !present.includes(name) || readFileSync(new URL(name, folder), 'utf8') !== page,
)

if (!values.check) {
  for (const name of extra) rmSync(new URL(name, folder))
  for (const [name, page] of stale) writeFileSync(new URL(name, folder), page)
  writeFileSync(toolTexts, texts)
} else if (extra.length + stale.length > 0 || hasStaleTexts) {
  if (hasStaleTexts) console.error('src/tools/param-texts.ts is not what the sources say; run npm run docs')
  for (const name of extra)
    console.error(`docs/reference/${name} is not a page of the reference; run npm run docs`)
  for (const [name] of stale)
    console.error(`docs/reference/${name} does not match the sources; run npm run docs`)
  process.exitCode = 1
}

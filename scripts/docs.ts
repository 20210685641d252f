/**
 * Writes the pages of docs/reference, docs/specs/openapi.json, src/extensions/schemas/index.ts, the texts of tools and llms.txt from the operation
 * table, its schemas, the docstrings and the guides; into the guides, how to install the package, and the list of `docs/guides.json`. AGENTS.md is also a skill. With
 * `--check` it only tells whether they are up to date.
 */
import { existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { format, resolveConfig } from 'prettier'
import packageJson from '../package.json' with { type: 'json' }
import { readDeclarations } from './docs/declarations.ts'
import { withGuides } from './docs/guides.ts'
import { withInstall } from './docs/install.ts'
import { renderLlmsTxt } from './docs/llms-txt.ts'
import { renderPages } from './docs/pages.ts'
import { readSchemas, schemaExports } from './docs/schema-exports.ts'
import { skillFile, skillOf } from './docs/skill.ts'
import { renderOpenapi } from './docs/specs.ts'
import { toolTexts } from './docs/tool-texts.ts'

const root = new URL('../', import.meta.url)
const at = (path: string) => new URL(path, root)

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } })
const declarations = readDeclarations()
const pages = renderPages(declarations)
const schemas = await readSchemas()
const generated = new Map<string, string>([
  ...[...pages].map(([name, page]) => [`docs/reference/${name}`, page] as const),
  ['docs/specs/openapi.json', renderOpenapi()],
])
const files = new Map(generated)
files.set(
  'src/extensions/tools/param-texts.json',
  await json('src/extensions/tools/param-texts.json', toolTexts(declarations)),
)
files.set(
  'src/extensions/schemas/index.ts',
  await formatted('src/extensions/schemas/index.ts', schemaExports(schemas)),
)
const written = ['README.md', 'examples/README.md', ...globSync('docs/*.md', { cwd: root })]
for (const path of written) files.set(path, withGuides(path, withInstall(readFileSync(at(path), 'utf8'))))
const textOf = (path: string) => files.get(path) ?? readFileSync(at(path), 'utf8')
files.set(skillFile, skillOf(textOf('AGENTS.md')))
files.set('llms.txt', renderLlmsTxt(packageJson.description, textOf))

const extra = ['docs/reference', 'docs/specs']
  .flatMap((folder) => globSync(`${folder}/**/*.*`, { cwd: root }))
  .filter((path) => !generated.has(path))
const stale = [...files].filter(
  ([path, text]) => !existsSync(at(path)) || readFileSync(at(path), 'utf8') !== text,
)

if (!values.check) {
  for (const path of extra) rmSync(at(path))
  for (const [path, text] of stale) {
    mkdirSync(new URL('.', at(path)), { recursive: true })
    writeFileSync(at(path), text)
  }
} else if (extra.length + stale.length > 0) {
  for (const path of extra) console.error(`${path} is not made from the sources; run npm run docs`)
  for (const [path] of stale) console.error(`${path} does not match the sources; run npm run docs`)
  process.exitCode = 1
}

function json(path: string, value: object): Promise<string> {
  return formatted(path, JSON.stringify(value, null, 2))
}

/** A text as `npm run format` leaves it in the file at a path. */
async function formatted(path: string, text: string): Promise<string> {
  return format(text, { ...(await resolveConfig(at(path))), filepath: path })
}

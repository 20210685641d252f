import { readFileSync, readdirSync } from 'node:fs'

const root = new URL('../../', import.meta.url)

/** The pages that people write, and their texts; those that programs write are checked where they are written. */
export const pages: ReadonlyMap<string, string> = new Map(
  [...readdirSync(root), ...readdirSync(new URL('docs/', root)).map((name) => `docs/${name}`)]
    .filter((name) => name.endsWith('.md'))
    .map((name) => [name, readFileSync(new URL(name, root), 'utf8')]),
)

/** The samples of a page in a language, in their order. */
export function samplesOf(page: string, language: 'tsx?' | 'sh' | 'sql' = 'tsx?'): string[] {
  const blocks = new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms')
  return [...(pages.get(page) ?? '').matchAll(blocks)].map(([, sample = '']) => sample)
}

/** What samples take as given: names that stand for the reader's own. */
export const given = `
import type { MicroblogSearchParams, SocialSearch, WalkState } from 'social-search-sdk'
import type { WatchState } from 'social-search-sdk/watch'
declare global {
  const apiKey: string, baseUrl: string, query: string, url: string, secret: string, token: string
  const clientId: string, clientSecret: string, successCallbackUrl: string, failureCallbackUrl: string
  const client: SocialSearch, request: Request
  function load(): Promise<WalkState<MicroblogSearchParams> | null>
  function loadState(): Promise<WatchState | null>
  function save(...what: unknown[]): Promise<void>
  function later(seconds?: number): void
  function salvage(body: unknown): void
  function review(...what: unknown[]): void
  function userOf(request: Request): Promise<{ id: string } | null>
}
`

/** A sample as a module: its imports, and its statements in a function, so that \`return\` and \`await\` are at home. */
export function moduleOf(sample: string): string {
  const imports = /^import [^]*?from '.*$/gm
  const statements = sample
    .replace(imports, '')
    .replaceAll(/^export default /gm, 'void ')
    .replaceAll(/^export (?!\{)/gm, '')
  return `${(sample.match(imports) ?? []).join('\n')}\nasync () => {\n${statements}}\nexport {}`
}

// `npm run apps` and the suite agents compile these, with packages that are not installed here.
const compiledElsewhere = ['docs/frameworks.md', 'docs/agents.md']

const cookbook = 'docs/cookbook.md'
const [setUp = ''] = samplesOf(cookbook)

/**
 * The samples that `npm test` compiles. `pasted` is a sample as a reader runs it: in the cookbook, alone after its first one.
 */
export const samples = [...pages.keys()]
  .filter((page) => !compiledElsewhere.includes(page))
  .flatMap((page) =>
    samplesOf(page).map((text, index) => {
      const pasted = page === cookbook && index > 0 ? `${setUp}\n${text}` : text
      return {
        page,
        number: index + 1,
        text,
        pasted,
        isAlone: page === cookbook,
        file: `${page}.${index}.ts`,
      }
    }),
  )

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

/** The sample of a page that has a text. */
export function sampleOf(page: string, text: string): string {
  const sample = samplesOf(page).find((each) => each.includes(text))
  if (sample === undefined) throw new Error(`${page} has no sample with ${text}`)
  return sample
}

/** What a page says before the sample that its others begin with. */
const setUp = /begin with this[^\n]*:\n\n```tsx?\n/

/** A sample that makes a client of its own is whole, also on a page whose samples begin with its first one. */
const isWhole = (sample: string) => /^import \{[^}]*\bSocialSearch\b/m.test(sample)

/** The samples of a page as a reader runs them. */
function programsOf(page: string): string[] {
  const [first = '', ...others] = samplesOf(page)
  if (!setUp.test(pages.get(page) ?? '')) return first === '' ? [] : [first, ...others]
  return [first, ...others.map((sample) => (isWhole(sample) ? sample : `${first}\n${sample}`))]
}

/** The module that pages with a login of the reader's own import. */
export const session = `export async function userOf(request: Request): Promise<{ id: string } | null> {
  return request.url === '' ? null : { id: 'ada' }
}
`

// `npm run apps` and the suite agents compile these, with packages that are not installed here.
const compiledElsewhere = ['docs/frameworks.md', 'docs/agents.md']

/** The programs that `npm test` compiles and runs. */
export const samples = [...pages.keys()]
  .filter((page) => !compiledElsewhere.includes(page))
  .flatMap((page) =>
    programsOf(page).map((text, index) => ({
      page,
      name: `${page}: sample ${index + 1}`,
      text,
      file: `${page}.${index}.ts`,
    })),
  )

import { readFileSync, readdirSync } from 'node:fs'

const root = new URL('../../', import.meta.url)

/** The pages that people write, and their texts; those that programs write are checked where they are written. */
export const pages: ReadonlyMap<string, string> = new Map(
  [...readdirSync(root), ...readdirSync(new URL('docs/', root)).map((name) => `docs/${name}`)]
    .filter((name) => name.endsWith('.md'))
    .map((name) => [name, readFileSync(new URL(name, root), 'utf8')]),
)

/** The samples of a page in TypeScript, in their order. */
export function samplesOf(page: string): string[] {
  return [...(pages.get(page) ?? '').matchAll(/^```ts\n(.*?)^```/gms)].map(([, sample = '']) => sample)
}

import { globSync, readFileSync } from 'node:fs'

const root = new URL('../../', import.meta.url)
const read = (path: string): string => readFileSync(new URL(path, root), 'utf8')

/** How much there is to learn: what is exported, what can be set, and what is written about it. */
export function countsOfPublic(): { exportedNames: number; options: number; wordsOfDocs: number } {
  const surface = read('test/packaging/surface.md')
  const interfaces = [...surface.matchAll(/^interface \w*Options?\b.*\{\n([^]*?)^\}/gm)]
  const members = interfaces.flatMap(([, body = '']) => body.match(/^ {4}(readonly )?\w+\??: /gm) ?? [])
  const guides = ['README.md', ...globSync('docs/*.md', { cwd: root })]
  return {
    exportedNames: surface.match(/^- /gm)?.length ?? 0,
    options: members.length,
    wordsOfDocs: guides.flatMap((path) => read(path).match(/\S+/g) ?? []).length,
  }
}

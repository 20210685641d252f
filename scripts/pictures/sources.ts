import { createHash } from 'node:crypto'
import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../..')

const dashboard = [
  'examples/dashboard/index.html',
  'examples/dashboard/server.ts',
  'examples/dashboard/src',
  'examples/dashboard/story.ts',
  'scripts/pictures/dashboard.ts',
]

/** The files that each picture shows or is made by. */
const sources = {
  'docs/dashboard.webp': dashboard,
  'docs/dashboard-dark.webp': dashboard,
  'docs/terminal.webp': ['examples/quickstart.ts', 'scripts/pictures/terminal.ts'],
}
export type Picture = keyof typeof sources
export const pictures = Object.keys(sources) as Picture[]

/** Beside the pictures: hashes of each one and of its sources when it was made. */
export const recordFile = join(root, 'docs/pictures.json')

/** Hashes of a picture and its sources as they are now. */
export function hashesOf(picture: Picture) {
  const files = sources[picture].flatMap((path) => filesIn(path)).sort()
  return { picture: hashOf([picture]), sources: hashOf(files) }
}

function filesIn(path: string): string[] {
  if (!statSync(join(root, path)).isDirectory()) return [path]
  return readdirSync(join(root, path)).flatMap((name) => filesIn(`${path}/${name}`))
}

function hashOf(files: readonly string[]): string {
  const hash = createHash('sha256')
  for (const file of files) hash.update(`${file}\0`).update(readFileSync(join(root, file)))
  return hash.digest('hex').slice(0, 16)
}

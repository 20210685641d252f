import { readFileSync, readdirSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { command, server, social, useCommand } from './command.ts'

/** Buys all pages. */
export const all = 'search typescript --per-minute off --yes --all'

/** Prepares the tests of jobs: two walks have the same cursors only if the clock stands. */
export function useJobs(): void {
  useCommand({ now: new Date('2026-11-20T18:00:00Z'), latency: [1, 15] })
}

let files = 0
export const newFile = (extension = 'jsonl'): string => join(command.folder, `posts-${++files}.${extension}`)

/** What the names of files beside this one have after its name. */
export const besides = (path: string): string[] =>
  readdirSync(dirname(path)).flatMap((name) =>
    name !== basename(path) && name.startsWith(basename(path)) ? [name.slice(basename(path).length)] : [],
  )

export const cursors = (): (string | undefined)[] =>
  server.requests.map(({ body }) => (body as { cursor?: string }).cursor)

/** The output of a run that nothing disturbs. */
export async function undisturbed(
  format = 'jsonl',
  flags = '',
): Promise<{ text: string; pages: (string | undefined)[] }> {
  const out = newFile(format)
  await social(`${all} --out ${out} ${flags}`)
  const pages = cursors()
  ;(server.requests as unknown[]).length = 0
  return { text: readFileSync(out, 'utf8'), pages }
}

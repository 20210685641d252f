import { readFileSync } from 'node:fs'
import { microblogSearch } from '../api/endpoints/microblog.ts'
import { professionalnetPostsSearch } from '../api/endpoints/professionalnet/posts.ts'
import type { WatchState } from '../extensions/watch/index.ts'
import { messageOf } from '../lib/thrown.ts'
import { UsageError } from './command-errors.ts'
import { type SharedFlags, paramFlags, paramsOf, positionalOf } from './flags.ts'
import { tell } from './terminal.ts'

/** Flags of commands about the new posts of a search. */
export interface SearchFlags extends SharedFlags {
  readonly network: string
  readonly minInterval: string
  readonly queries?: string
}

/** Params of a search, for each query. */
export type Searches = Readonly<Record<string, object>>

const networks = { microblog: microblogSearch, professionalnet: professionalnetPostsSearch } as const

export const watchNetworks = Object.keys(networks)

/** The search of either network. */
export type SearchOperation = (typeof networks)[keyof typeof networks]

/** @throws {UsageError} for filters of the other network, which would be ignored. */
export function operationOf(flags: SearchFlags): SearchOperation {
  const operation = networks[flags.network as keyof typeof networks]
  const other = paramFlags(microblogSearch).find(
    ({ attribute }) => operation !== microblogSearch && attribute in flags,
  )
  if (other === undefined) return operation
  throw new UsageError(`${other.name} is for --network microblog; pass params of others with --params`)
}

/** Params of each search, under its query. */
export function searchesOf(
  operation: SearchOperation,
  flags: SearchFlags,
  words: readonly string[],
): Searches {
  const queries = [...new Set([...words, ...(flags.queries === undefined ? [] : linesOf(flags.queries))])]
  if (queries.length === 0) throw new UsageError('pass a query, or --queries FILE')
  const list = words.find((word) => /^[^\s\d"]+,[^\s\d"]+$/.test(word))
  if (list !== undefined) tell(`${list} is one query; for several: ${list.replaceAll(',', ' ')}`)
  const name = positionalOf(operation) ?? ''
  const { params } = paramsOf(operation, flags, queries[0])
  return Object.fromEntries(queries.map((query) => [query, { ...params, [name]: query }]))
}

/** The queries of a file, one a line. `# a comment` is none, `#hashtag` is. */
function linesOf(path: string): string[] {
  try {
    const lines = textFrom(readFileSync(path)).split('\n')
    return lines.map((line) => line.trim()).filter((line) => line !== '' && !/^#(\s|$)/.test(line))
  } catch (error) {
    throw new UsageError(`--queries: ${messageOf(error)}`)
  }
}

/** @throws for bytes that are no text: the service would search for what they look like, and charge. */
function textFrom(bytes: Uint8Array): string {
  // PowerShell writes UTF-16, which a byte order mark begins.
  const [encoding] = [
    ...(bytes[0] === 0xff && bytes[1] === 0xfe ? ['utf-16le'] : []),
    ...(bytes[0] === 0xfe && bytes[1] === 0xff ? ['utf-16be'] : []),
    'utf-8',
  ]
  try {
    const text = new TextDecoder(encoding, { fatal: true }).decode(bytes)
    if (!text.includes('\0')) return text
  } catch {
    // Said below.
  }
  throw new Error('the file is not UTF-8; save it as UTF-8')
}

/** What distinguishes the watch of a query from other jobs in a database. */
export function jobOf({ id }: SearchOperation, params: object | undefined): object {
  return { watch: id, params }
}

/** The states of queries, as far as a file has them. */
export function statesOf(
  searches: Searches,
  progress: readonly (object | undefined)[],
): Readonly<Record<string, WatchState | null>> {
  const states = Object.keys(searches).map((query, index) => [query, progress[index] ?? null])
  return Object.fromEntries(states) as Readonly<Record<string, WatchState | null>>
}

import { microblogSearch } from '../api/microblog.ts'
import { professionalnetPostsSearch } from '../api/professionalnet/posts.ts'
import { UsageError } from './command-errors.ts'
import { type SharedFlags, paramFlags } from './flags.ts'

/** Flags of commands about the new posts of a search. */
export interface SearchFlags extends SharedFlags {
  readonly network: string
  readonly freshness: string
  readonly state?: string
}

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

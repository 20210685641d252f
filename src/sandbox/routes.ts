import { microblogSearch, type MicroblogSearchParams } from '../contract/microblog.ts'
import type { Operation } from '../contract/operation.ts'
import { operations } from '../contract/operations.ts'
import type { Outcome } from './answers.ts'
import { corpusOf } from './corpus.ts'
import type { Settings } from './options.ts'
import { searchMicroblog } from './search.ts'

/** Path that every operation's path comes after. */
export const basePath = '/v1'

/** An operation that the sandbox can carry out. */
export interface Route {
  readonly operation: Operation
  readonly path: string
  /** Carries out a request whose body was found to be of the operation's form. */
  readonly handle: (input: unknown) => Outcome
}

export function createRoutes({ seed, posts }: Settings): Route[] {
  const handlers: Record<string, Route['handle']> = {
    [microblogSearch.id]: (input) =>
      searchMicroblog(corpusOf(seed, posts), `${seed}/${posts}`, input as MicroblogSearchParams),
  }
  return operations.flatMap((operation) => {
    const handle = handlers[operation.id]
    return handle === undefined ? [] : [{ operation, path: basePath + operation.path, handle }]
  })
}

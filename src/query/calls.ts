import type { SocialSearch } from '../client.ts'
import type { OperationId } from '../api/operations.ts'
import { ConfigurationError } from '../errors/index.ts'

/** Id of a call that reads, such as `microblog.search`. */
export type CallId = Exclude<OperationId, 'mentions.setState' | 'openapi'>

/** Id of a call that may have more pages. */
export type PagedCallId = {
  [Id in CallId]: ReturnType<MethodOf<Id>> extends { pages: unknown } ? Id : never
}[CallId]

/** A client, or an object with the resource of the call: `{ microblog: microblog(transport) }`. */
export type QueryClientOf<Id extends CallId> = Id extends `${infer Resource}.${string}`
  ? Pick<SocialSearch, Resource & keyof SocialSearch>
  : never

/** Params or id of a call, and its options except `signal` and `schema`. */
export type CallArguments<Id extends CallId> =
  MethodOf<Id> extends (params: infer Params, options: infer Options) => unknown
    ? { params: Exclude<Params, undefined>; options: Omit<Exclude<Options, undefined>, 'signal' | 'schema'> }
    : never

/** The result of a call. */
export type CallResult<Id extends CallId> = Awaited<ReturnType<MethodOf<Id>>>

type MethodOf<Id extends CallId> = Extract<At<SocialSearch, Id>, (...args: never) => unknown>

type At<T, Path extends string> = Path extends `${infer Name}.${infer Rest}`
  ? Name extends keyof T
    ? At<T[Name], Rest>
    : never
  : Path extends keyof T
    ? T[Path]
    : never

/**
 * The method with this id.
 *
 * @throws {ConfigurationError} if the client has no such method.
 */
export function methodOf(
  client: object,
  id: string,
): (params: unknown, options: object) => PromiseLike<unknown> {
  let found: unknown = client
  for (const name of id.split('.')) found = (found as Record<string, unknown> | null | undefined)?.[name]
  if (typeof found === 'function') return found as ReturnType<typeof methodOf>
  const [resource = id] = id.split('.')
  throw new ConfigurationError(
    `the client has no ${id}(); pass a SocialSearch, or an object such as { ${resource}: ${resource}(transport) }`,
  )
}

import type { Operation } from '../../api/operation.ts'
import { ConfigurationError, SocialSearchError } from '../../errors/index.ts'
import { assertObject } from '../../errors/check-options.ts'
import { differenceOf } from '../../lib/difference.ts'
import type { PagingOverride } from '../../api/list-items.ts'

/** Where to continue, as plain JSON to save. */
export interface WalkState<Params = object> {
  /** `next` of the last page that you saved; null after the very last one. */
  readonly next: Params | null
}

/**
 * The params at which a walk resumes; null if it has ended.
 *
 * @param params The params of the walk. Those of the state must be the same, except for the page.
 * @param state A {@link WalkState}, an error, or the params of a page themselves.
 * @throws {ConfigurationError}
 */
export function nextOfState(
  { id, paging }: Operation,
  params: object,
  state: unknown,
  override: PagingOverride = {},
): object | null {
  const refuse = (message: string) =>
    new ConfigurationError(`${message}; nothing was sent`, { operation: id, next: params })
  assertObject('the state', state)
  const isError = state instanceof SocialSearchError
  // An error may also have the page that was paid for.
  const isPage = !isError && paging !== undefined && Object.hasOwn(state, paging.param)
  const next = isPage ? state : (state as { next?: unknown }).next
  if (next === null && !isError) return null
  if (typeof next !== 'object' || next === null) {
    const given = isError ? `the ${state.name}` : 'the state'
    throw refuse(`resume() needs next, the params of a page; ${given} lacks it`)
  }
  // With `paging.next`, the params of the next page may be anything.
  if (override.next !== undefined) return next
  const difference = differenceOf(next, params, paging?.param)
  if (difference === undefined) return next
  throw refuse(`the state belongs to another call: ${difference}`)
}

import { got } from '../../api/issues.ts'
import type { Operation } from '../../api/operation.ts'
import type { OpenBody, OpenRecord } from '../../api/undocumented.ts'
import { type ComposedRequest, paramsOf } from '../call/compose-request.ts'
import { type PagingOverride, fieldNames, itemsOf } from '../../api/list-items.ts'

/** What follows a page of a walk. */
export type Step =
  /** The params of the next page, as plain JSON. */
  | { readonly kind: 'next'; readonly params: object }
  | { readonly kind: 'end' }
  /** There is a next page, but its params are unknown. */
  | { readonly kind: 'lost'; readonly why: string }
  /** The service returned a page other than the requested one. */
  | { readonly kind: 'wrong'; readonly why: string }

const end: Step = { kind: 'end' }

/**
 * Finds the next page.
 *
 * @param request The request of the page.
 * @param invalidItems Items that validation took out of the body: a page of such items is not empty.
 */
export function nextStep(
  operation: Operation,
  request: ComposedRequest,
  body: unknown,
  override: PagingOverride = {},
  invalidItems = 0,
): Step {
  const { paging } = operation
  if (paging === undefined) return end
  if (override.next !== undefined) return stepByOverride(override.next, request, body)
  const meta = (body as { meta?: Record<string, unknown> | null } | null)?.meta ?? {}
  if (paging.kind === 'cursor') return cursorStep(operation, request, paging.param, meta)

  const params = paramsOf(request)
  const number = params?.[paging.param] ?? 1
  if (typeof number !== 'number') return end
  if (meta['page'] !== undefined && meta['page'] !== number) {
    return { kind: 'wrong', why: `expected page ${number}, got page ${got(meta['page'])}` }
  }
  const hasMore =
    paging.kind === 'counted'
      ? Number(meta['pageCount']) > number
      : invalidItems > 0 || itemsOf(operation, body)?.length !== 0
  return hasMore ? { kind: 'next', params: { ...params, [paging.param]: number + 1 } } : end
}

/** An error of the user's function must not lose the page, which is paid for. */
function stepByOverride(
  next: NonNullable<PagingOverride['next']>,
  request: ComposedRequest,
  body: unknown,
): Step {
  try {
    const params: unknown = next(body as OpenBody, paramsOf(request) as OpenRecord)
    if (params === null || params === undefined) return end
    if (typeof params === 'object')
      return { kind: 'next', params: JSON.parse(JSON.stringify(params)) as object }
  } catch {
    // Reported below.
  }
  return { kind: 'lost', why: 'paging.next threw an error or returned params that are not JSON' }
}

/** Stops when `hasMore` is false, even if a cursor is present. */
function cursorStep(
  operation: Operation,
  request: ComposedRequest,
  param: string,
  meta: Record<string, unknown>,
): Step {
  const { hasMore, nextCursor } = meta
  if (!operation.documented && typeof hasMore !== 'boolean') {
    return {
      kind: 'lost',
      why: `expected meta.hasMore, found ${fieldNames(meta, 'meta.')}; pass paging.next`,
    }
  }
  if (hasMore !== true) return end
  if (typeof nextCursor === 'string' && nextCursor !== '')
    return { kind: 'next', params: { ...paramsOf(request), [param]: nextCursor } }
  return { kind: 'lost', why: 'meta.hasMore is true, but meta.nextCursor is missing' }
}

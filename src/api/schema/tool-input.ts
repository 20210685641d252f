import * as z from 'zod/mini'
import type { Operation } from '../operation.ts'
import { type Schema, descriptionOf, integer, optionalWith, text } from './schema.ts'

/** Most pages of one call of a tool. */
export const maxPages = 10

/** More than the longest handle needs: it holds a cursor, which has at most 1,024 characters. */
const maxNextLength = 8192

/** The arguments of the tool that searches a collection. */
export function archiveInput(): Schema {
  return z.strictObject({ query: text({ min: 1, max: 200 }), ...listArguments() })
}

/** What tools with a list add. */
function listArguments() {
  return {
    summary: z.optional(z.enum(['day', 'week', 'author'])),
    next: z.optional(text({ max: maxNextLength })),
  }
}

/**
 * The arguments of an operation's tool: its params without deprecated ones, and the id of its path. `pages` and `next`
 * take the place of the service's cursors and page numbers; `summary` asks for counts. Tech news takes its keywords in `query`,
 * as the documented searches do: its params are not documented.
 */
export function toolInputOf({ id, request, list, paging, pathId, method }: Operation): Schema {
  const isDocumented = request instanceof z.ZodMiniObject
  const params = Object.entries(isDocumented ? request.shape : {}).filter(
    ([name, field]) => name !== paging?.param && descriptionOf(field)?.deprecated !== true,
  )
  const shape = {
    ...(pathId !== undefined && { id: z.string() }),
    ...Object.fromEntries(params),
    ...(id === 'technews.search' && { query: z.optional(z.string()) }),
    ...(paging !== undefined && { pages: optionalWith(integer({ min: 1, max: maxPages }), { default: 1 }) }),
    ...(list !== undefined && listArguments()),
  }
  return isDocumented || (pathId !== undefined && method === 'GET')
    ? z.strictObject(shape)
    : z.looseObject(shape)
}

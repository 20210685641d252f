import * as z from 'zod/mini'
import { acceptsRequest, acceptsResponse } from '../generated/professionalnet.industries.list.ts'
import type { Operation } from '../operation.ts'
import { check, defaulted, integer, text } from '../schema.ts'

/** Which industry codes to list. */
export interface IndustriesListParams {
  /** Filters by name, hierarchy or description, 1 to 100 characters. */
  q?: string | undefined
  /** Counted from 1; the service's default is 1. */
  page?: number | undefined
}

/** An industry that a search can be narrowed to. */
export interface Industry {
  id: number
  label: string
  /** Full path, its segments joined by `>`. */
  hierarchy: string
}

/** One page of industries, as the service sends it. */
export interface IndustriesListBody<Item = Industry> {
  /** The service's id of this request, for its support. */
  requestId: string
  industries: Item[]
  meta: { total: number; page: number; pageCount: number; pageSize: number }
}

/** Industries on a page, always. */
export const industriesPageSize = 25

export const industriesListParamsSchema = () =>
  z.strictObject({
    q: z.optional(text({ min: 1, max: 100 })),
    page: defaulted(integer({ min: 1 }), 1),
  })

export const industrySchema = () => z.object({ id: z.int(), label: z.string(), hierarchy: z.string() })

export const industriesListBodySchema = () =>
  z.object({
    requestId: z.string(),
    industries: z.array(z.unknown()),
    meta: z.object({ total: z.int(), page: z.int(), pageCount: z.int(), pageSize: z.int() }),
  })

/** GET /data/professionalnet/industries (service description, part 4.6). */
export const industriesList = {
  id: 'professionalnet.industries.list',
  summary: 'find the codes of industries',
  method: 'GET',
  path: '/data/professionalnet/industries',
  scopes: ['search:read'],
  surface: 'professionalnet',
  price: { kind: 'free' },
  documented: true,
  errors: [401],
  request: check<IndustriesListParams>(industriesListParamsSchema, acceptsRequest),
  response: check<IndustriesListBody<unknown>>(industriesListBodySchema),
  acceptsResponse,
  list: { property: 'industries', item: check<Industry>(industrySchema) },
  paging: { kind: 'counted', param: 'page' },
} as const satisfies Operation

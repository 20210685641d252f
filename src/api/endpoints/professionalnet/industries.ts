import * as z from 'zod/mini'
import type { Operation } from '../../operation.ts'
import { documented, integer, listOf, optionalWith, text } from '../../schema/schema.ts'

/** The industry codes to list. */
export interface ProfessionalnetIndustriesListParams {
  /** Filters by name, hierarchy or description, 1 to 100 characters. */
  q?: string | undefined
  /** Counted from 1; the service's default is 1. */
  page?: number | undefined
}

/** An industry; its id narrows a search. */
export interface ProfessionalnetIndustry {
  id: number
  label: string
  /** Full path, its segments joined by `>`. */
  hierarchy: string
}

/** One page of industries, as the service sends it. */
export interface IndustriesListBody<Item = ProfessionalnetIndustry> {
  /** The service's id of this request, for support. */
  requestId: string
  industries: Item[]
  meta: { total: number; page: number; pageCount: number; pageSize: number }
}

/** Industries on a page, always. */
export const industriesPageSize = 25

export const professionalnetIndustriesListParams = z.strictObject({
  q: z.optional(text({ min: 1, max: 100 })),
  page: optionalWith(integer({ min: 1 }), { default: 1 }),
})

export const professionalnetIndustry = z.object({ id: integer(), label: z.string(), hierarchy: z.string() })

export const professionalnetIndustriesListBody = z.object({
  requestId: z.string(),
  industries: listOf(professionalnetIndustry),
  meta: z.object({ total: integer(), page: integer(), pageCount: integer(), pageSize: integer() }),
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
  ...documented<ProfessionalnetIndustriesListParams, IndustriesListBody>(
    professionalnetIndustriesListParams,
    professionalnetIndustriesListBody,
  ),
  errors: [401],
  list: 'industries',
  paging: { kind: 'counted', param: 'page' },
} as const satisfies Operation

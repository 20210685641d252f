import * as z from 'zod/mini'
import { defaulted, integer, text } from '../schema/build.ts'
import { object, strictObject } from '../schema/objects.ts'

export const industriesListParams = strictObject({
  q: z.optional(text({ min: 1, max: 100 })),
  page: defaulted(integer({ min: 1 }), 1),
})

export const industry = object({ id: z.int(), label: z.string(), hierarchy: z.string() })

export const industriesListBody = object({
  requestId: z.string(),
  industries: z.array(industry),
  meta: object({ total: z.int(), page: z.int(), pageCount: z.int(), pageSize: z.int() }),
})

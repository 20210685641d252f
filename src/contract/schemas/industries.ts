import * as z from 'zod/mini'
import { defaulted, integer, text } from './build.ts'

export const request = z.strictObject({
  q: z.optional(text({ min: 1, max: 100 })),
  page: defaulted(integer({ min: 1 }), 1),
})

export const industry = z.object({ id: z.int(), label: z.string(), hierarchy: z.string() })

export const response = z.object({
  requestId: z.string(),
  industries: z.array(industry),
  meta: z.object({ total: z.int(), page: z.int(), pageCount: z.int(), pageSize: z.int() }),
})

import * as z from 'zod/mini'
import { operations } from '../operations.ts'
import { integer } from './schema.ts'

/** What `inject()` of a sandbox takes. */
export const sandboxFault = z.partial(
  z.object({
    operation: z.literal(operations.map(({ id }) => id)),
    times: z.union([integer({ min: 0 }), z.literal(Infinity)]),
    skip: integer({ min: 0 }),
    delay: z.number().check(z.minimum(0)),
    status: integer({ min: 200, max: 599 }),
    ...{ code: z.string(), retryAfter: z.number(), headers: z.record(z.string(), z.string()), body: z.any() },
    reset: z.literal(['before', 'after']),
    cut: z.literal(['stall', 'truncate', 'reset']),
  }),
)

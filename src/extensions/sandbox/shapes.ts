import * as z from 'zod/mini'
import { microblogPost } from '../../api/endpoints/microblog.ts'
import { professionalnetCompany } from '../../api/endpoints/professionalnet/company.ts'
import { professionalnetPost } from '../../api/endpoints/professionalnet/posts.ts'
import { issuesText } from '../../api/issues.ts'
import { operations } from '../../api/operations.ts'
import { check } from '../../api/schema/check.ts'
import { type Schema, integer } from '../../api/schema/schema.ts'
import { maxTimerMs } from '../../lib/time.ts'

/*
 * The shapes of what a test gives to a sandbox. They refuse unknown fields, which would otherwise be ignored.
 */

/** Refuses an argument of another shape. @param what Names it. @throws {TypeError} */
export function assertShape(schema: Schema, what: string, value: unknown): void {
  const issues = check(schema, value)
  if (issues.length > 0) throw new TypeError(`${what}: ${issuesText(issues)}`)
}

const strict = (shape: z.ZodMiniObject) => z.catchall(shape, z.never())
export const microblogShape = strict(microblogPost)
export const networkShape = strict(professionalnetPost)
export const companyShape = strict(professionalnetCompany)

const amount = (least: number, most = Infinity) => z.number().check(z.minimum(least), z.maximum(most))
const limit = z.optional(z.union([z.literal(false), amount(1)]))
const delay = amount(0, maxTimerMs)
const key = z.string().check(z.regex(/^[\x21-\x7e]+$/, 'must have visible ASCII characters'))

/** A clock is checked when it is read. */
export const optionsShape = z.partial(
  z.strictObject({
    ...{ seed: z.number(), posts: amount(0, 100_000), now: z.any(), content: z.any() },
    growth: z.strictObject({ perHour: amount(0, 3600), since: z.optional(z.any()) }),
    latency: z.union([delay, z.tuple([delay, delay])]),
    limits: z.strictObject({ inFlight: limit, perMinute: limit, windowMs: z.optional(amount(1)) }),
    keys: z.array(z.strictObject({ key, scopes: z.array(z.string()) })),
  }),
)

const records = z.optional(z.array(z.looseObject({})))
export const publicationShape = z.strictObject({
  ...{ microblog: records, professionalnet: records, mentions: records },
})
export const contentShape = z.extend(publicationShape, { listeners: records, companies: records })

/** The client and the service refuse other ids. */
const idWith = (prefix: string) => z.string().check(z.startsWith(prefix, `must start with ${prefix}`))
const texts = z.array(z.string())
export const listenerShape = z.looseObject({ id: idWith('lis_'), keywords: texts, networks: texts })
export const mentionShape = z.looseObject({ id: idWith('men_') })

export const faultShape = z.partial(
  z.strictObject({
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

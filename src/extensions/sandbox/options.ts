import { organizationLimits } from '../../api/limits.ts'
import { assertOptions, requireOption } from '../../errors/check-options.ts'
import { ownContentOf } from './own-content.ts'
import type { Growth } from './post-store.ts'
import type { SandboxOptions } from './types.ts'

/** Options with defaults. */
export type Settings = ReturnType<typeof resolveOptions>

/** The most posts an hour about a query: one a second, as finely as times of posts are told apart. */
const maxPerHour = 3600

/** Refuses unknown options, and fills in defaults. */
export function resolveOptions(options: SandboxOptions) {
  assertOptions(options, {
    ...{ seed: true, posts: true, now: true, growth: true, latency: true, limits: true },
    ...{ content: true, keys: true },
  })
  const { seed = 1, posts = 4000, growth = 0, latency = 0, limits = {}, content = {}, keys = [] } = options
  assertOptions(limits, { inFlight: true, perMinute: true, windowMs: true }, 'limits')
  const now = clockOf('now', options.now)
  const growing = typeof growth === 'number' ? { perHour: growth } : growth
  assertOptions(growing, { perHour: true, since: true }, 'growth')
  const { perHour, since = now } = growing
  const isRate = perHour >= 0 && perHour <= maxPerHour
  requireOption(perHour, isRate, `growth must be a number of posts an hour from 0 to ${maxPerHour}`)
  return {
    ...{ seed, posts, keys, now },
    growth: { perHour, since: clockOf('growth.since', since)() } satisfies Growth,
    latency: typeof latency === 'number' ? ([latency, latency] as const) : latency,
    limits: {
      inFlight: limits.inFlight ?? organizationLimits.inFlight,
      perMinute: limits.perMinute ?? organizationLimits.perMinute,
      windowMs: limits.windowMs ?? organizationLimits.windowMs,
    },
    own: ownContentOf(content, seed, now),
  }
}

function clockOf(name: string, now: SandboxOptions['now'] = () => Date.now()): () => number {
  return () => {
    const time = Number(typeof now === 'function' ? now() : now)
    return requireOption(time, time >= 0, `${name} must be a time since 1970`)
  }
}

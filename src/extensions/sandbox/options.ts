import { organizationLimits } from '../../api/limits.ts'
import { assertRecord, fail } from './check-arguments.ts'
import { ownContentOf } from './own-content.ts'
import type { Growth } from './post-store.ts'
import type { SandboxOptions } from './types.ts'

/** Options with defaults. */
export type Settings = ReturnType<typeof resolveOptions>

/** Refuses unknown options, and fills in defaults. */
export function resolveOptions(options: SandboxOptions) {
  const option = 'createSandbox() option'
  const names = ['seed', 'posts', 'now', 'growth', 'latency', 'limits', 'content', 'keys']
  assertRecord(`${option}s`, options, names)
  const { seed = 1, posts = 4000, growth = 0, latency = 0, limits = {}, content = {}, keys = [] } = options
  const now = clockOf('now', options.now)
  assertRecord(`${option} limits`, limits, ['inFlight', 'perMinute', 'windowMs'])
  const growing = typeof growth === 'number' ? { perHour: growth } : growth
  assertRecord(`${option} growth`, growing, ['perHour', 'since'])
  const { perHour, since } = growing
  return {
    seed,
    posts: amountOf('posts', posts),
    growth: {
      perHour: amountOf('growth', perHour),
      since: clockOf('growth.since', since ?? now)(),
    } satisfies Growth,
    latency: typeof latency === 'number' ? ([latency, latency] as const) : latency,
    limits: {
      inFlight: limits.inFlight ?? organizationLimits.inFlight,
      perMinute: limits.perMinute ?? organizationLimits.perMinute,
      windowMs: limits.windowMs ?? organizationLimits.windowMs,
    },
    now,
    own: ownContentOf(content, seed, now),
    keys,
  }
}

function amountOf(name: string, value: number): number {
  const isAmount = Number.isFinite(value) && value >= 0
  return isAmount ? value : fail(`createSandbox() option ${name}`, 'a number of at least 0', value)
}

function clockOf(name: string, now: SandboxOptions['now'] = () => Date.now()): () => number {
  return () => {
    const time = Number(typeof now === 'function' ? now() : now)
    if (time >= 0) return time
    throw new TypeError(`createSandbox() option ${name} must be a time since 1970`)
  }
}

import { organizationLimits } from '../../api/limits.ts'
import { maxTimerMs } from '../../lib/time.ts'
import { array, assertRecord, fail } from './check-arguments.ts'
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
  const {
    inFlight = organizationLimits.inFlight,
    perMinute = organizationLimits.perMinute,
    windowMs = organizationLimits.windowMs,
  } = limits
  for (const { key } of keys)
    if (!/^[\x21-\x7e]+$/.test(key)) throw new TypeError(`${option} keys must have visible ASCII characters`)
  return {
    seed,
    posts: amountOf('posts', posts, 0, 100_000),
    growth: {
      perHour: amountOf('growth', perHour, 0, 3600),
      since: clockOf('growth.since', since ?? now)(),
    } satisfies Growth,
    latency: boundsOf('latency', latency),
    limits: {
      inFlight: inFlight === false ? inFlight : amountOf('limits.inFlight', inFlight, 1),
      perMinute: perMinute === false ? perMinute : amountOf('limits.perMinute', perMinute, 1),
      windowMs: amountOf('limits.windowMs', windowMs, 1),
    },
    now,
    own: ownContentOf(content, seed, now),
    keys,
  }
}

function amountOf(name: string, value: number, least: number, most = Infinity): number {
  if (Number.isFinite(value) && value >= least && value <= most) return value
  const range = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`
  return fail(`createSandbox() option ${name}`, `a number ${range}`, value)
}

function boundsOf(name: string, given: number | readonly number[]): readonly [number, number] {
  const [min, max] =
    typeof given === 'number' ? [given, given] : array(`createSandbox() option ${name}`, given)
  const least = amountOf(name, Number(min), 0, maxTimerMs)
  return [least, amountOf(name, Number(max), least, maxTimerMs)]
}

function clockOf(name: string, now: SandboxOptions['now'] = () => Date.now()): () => number {
  return () => {
    const time = Number(typeof now === 'function' ? now() : now)
    if (time >= 0) return time
    throw new TypeError(`createSandbox() option ${name} must be a time since 1970`)
  }
}

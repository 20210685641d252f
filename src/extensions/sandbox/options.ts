import { organizationLimits } from '../../api/limits.ts'
import { array, assertRecord, fail, integer, longestWaitMs, number } from './check-arguments.ts'
import { ownContentOf } from './own-content.ts'
import type { SandboxGrowth, SandboxKey, SandboxLimits, SandboxOptions } from './types.ts'

const option = 'createSandbox() option'
const growthPatterns = ['even', 'daily', 'bursts']

/** Checked options with defaults. */
export type Settings = ReturnType<typeof resolveOptions>

/** Checks the options and fills in defaults. */
export function resolveOptions(options: SandboxOptions) {
  const names = ['seed', 'posts', 'now', 'growth', 'latency', 'limits', 'content', 'keys']
  assertRecord(`${option}s`, options, names)
  const { seed = 1, posts = 4000, growth = 0, latency = 0, limits = {}, content = {}, keys = [] } = options
  const now = resolveClock(options.now)
  return {
    seed: integer(`${option} seed`, seed),
    posts: integer(`${option} posts`, posts, 0, 100_000),
    growth: resolveGrowth(growth, now),
    latency: resolveLatency(latency),
    limits: resolveLimits(limits),
    now,
    own: ownContentOf(content, seed, now),
    /** Each with its scopes. */
    keys: array(`${option} keys`, keys).map(resolveKey),
  }
}

function resolveClock(now: SandboxOptions['now'] = () => Date.now()): () => number {
  return () => {
    const time: unknown = typeof now === 'function' ? now() : now
    return number(`${option} now`, time instanceof Date ? time.getTime() : time, 0, 8.64e15)
  }
}

function resolveGrowth(growth: number | SandboxGrowth, now: () => number) {
  const field = `${option} growth`
  const perHourOf = (name: string, perHour: number): number => number(name, perHour, 0, 3600)
  if (typeof growth === 'number')
    return { perHour: perHourOf(field, growth), pattern: 'even', since: now() } as const
  assertRecord(field, growth, ['perHour', 'pattern', 'since'])
  const { perHour, pattern = 'even', since } = growth
  if (!growthPatterns.includes(pattern))
    fail(`${field}.pattern`, `one of ${growthPatterns.join(', ')}`, pattern)
  const rates = typeof perHour === 'number' ? { '': perHour } : perHour
  assertRecord(`${field}.perHour`, rates)
  for (const rate of Object.values(rates)) perHourOf(`${field}.perHour`, rate)
  return { perHour, pattern, since: since === undefined ? now() : resolveClock(since)() }
}

function resolveLatency(latency: number | readonly [number, number]): readonly [number, number] {
  const field = `${option} latency`
  if (typeof latency !== 'object') {
    const ms = number(field, latency, 0, longestWaitMs)
    return [ms, ms]
  }
  const range: readonly unknown[] = array(field, latency)
  const isRange = range.length === 2 && range.every((each) => typeof each === 'number')
  const [min = NaN, max = NaN] = isRange ? latency : []
  if (!(min <= max)) fail(field, 'a number of milliseconds or [min, max]', latency)
  return [number(field, min, 0, longestWaitMs), number(field, max, 0, longestWaitMs)]
}

function resolveLimits(limits: SandboxLimits) {
  const field = `${option} limits`
  assertRecord(field, limits, ['inFlight', 'perMinute', 'windowMs'])
  const { inFlight, perMinute, windowMs } = organizationLimits
  return {
    inFlight: countOrOff(`${field}.inFlight`, limits.inFlight ?? inFlight),
    perMinute: countOrOff(`${field}.perMinute`, limits.perMinute ?? perMinute),
    windowMs: number(`${field}.windowMs`, limits.windowMs ?? windowMs, 1, longestWaitMs),
  }
}

function countOrOff(field: string, value: number | false): number | false {
  return value === false ? false : integer(field, value, 1)
}

/** Errors name a key by its index alone, since it may be a real one. */
function resolveKey(value: SandboxKey, index: number) {
  const field = `${option} keys[${index}]`
  assertRecord(field, value, ['key', 'scopes'])
  const { key, scopes } = value
  if (typeof key !== 'string' || !/^[\x21-\x7e]+$/.test(key))
    throw new TypeError(`${field}.key must be a text of visible ASCII characters`)
  return [key, array(`${field}.scopes`, scopes)] as const
}

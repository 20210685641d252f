import { organizationLimits } from '../api/limits.ts'
import type { Scope } from '../api/operation.ts'
import { assertRecord, fail, integer, longestWaitMs, number } from './check-arguments.ts'
import { type OwnContent, ownContentOf } from './own-content.ts'
import type { SandboxKey, SandboxLimits, SandboxOptions } from './types.ts'

type Complete<T> = { readonly [Field in keyof T]-?: Exclude<T[Field], undefined> }

/** Checked options with defaults. */
export interface Settings {
  readonly seed: number
  readonly posts: number
  readonly latency: readonly [min: number, max: number]
  readonly limits: Complete<SandboxLimits>
  readonly own: OwnContent
  /** The time of the sandbox's clock, in milliseconds since 1970, and what it was when the sandbox was made. */
  readonly now: () => number
  readonly start: number
  readonly growth: number
  readonly keys: readonly Complete<SandboxKey>[]
}

/** Checks the options and fills in defaults. */
export function resolveOptions(options: SandboxOptions): Settings {
  const names = ['seed', 'posts', 'now', 'growth', 'latency', 'limits', 'content', 'keys']
  assertRecord('createSandbox() options', options, names)
  const { seed = 1, posts = 4000, growth = 0, latency = 0, limits = {}, content = {}, keys = [] } = options
  const now = resolveClock(options.now)
  if (!Array.isArray(keys)) fail('createSandbox() option keys', 'an array', keys)
  return {
    seed: integer('createSandbox() option seed', seed),
    posts: integer('createSandbox() option posts', posts, 0, 100_000),
    latency: resolveLatency(latency),
    limits: resolveLimits(limits),
    now,
    start: now(),
    growth: number('createSandbox() option growth', growth, 0, 3600),
    own: ownContentOf(content, seed, now),
    keys: keys.map(resolveKey),
  }
}

function resolveClock(now: SandboxOptions['now'] = () => Date.now()): () => number {
  return () =>
    number('createSandbox() option now', Number(typeof now === 'function' ? now() : now), 0, 8.64e15)
}

function resolveLatency(latency: NonNullable<SandboxOptions['latency']>): readonly [number, number] {
  const field = 'createSandbox() option latency'
  if (!Array.isArray(latency)) {
    const ms = number(field, latency, 0, longestWaitMs)
    return [ms, ms]
  }
  const [min, max] = latency as readonly [number, number]
  if (latency.length !== 2 || !(min <= max)) fail(field, 'a number of milliseconds or [min, max]', latency)
  return [number(field, min, 0, longestWaitMs), number(field, max, 0, longestWaitMs)]
}

function resolveLimits(limits: SandboxLimits): Complete<SandboxLimits> {
  const names = ['inFlight', 'perMinute', 'windowMs', 'countRejected']
  assertRecord('createSandbox() option limits', limits, names)
  const { inFlight, perMinute, windowMs } = organizationLimits
  const { countRejected = false } = limits
  if (typeof countRejected !== 'boolean')
    fail('createSandbox() option limits.countRejected', 'true or false', countRejected)
  return {
    inFlight: countOrOff('inFlight', limits.inFlight ?? inFlight),
    perMinute: countOrOff('perMinute', limits.perMinute ?? perMinute),
    windowMs: number('createSandbox() option limits.windowMs', limits.windowMs ?? windowMs, 1, longestWaitMs),
    countRejected,
  }
}

function countOrOff(name: string, value: number | false): number | false {
  return value === false ? false : integer(`createSandbox() option limits.${name}`, value, 1)
}

/** Errors name a key by its index alone, since it may be a real one. */
function resolveKey(value: SandboxKey, index: number): Complete<SandboxKey> {
  const field = `createSandbox() option keys[${index}]`
  assertRecord(field, value, ['key', 'scopes', 'lost'])
  if (typeof value.key !== 'string' || !/^[\x21-\x7e]+$/.test(value.key)) {
    throw new TypeError(`${field}.key must be a text of visible ASCII characters`)
  }
  const { key, scopes, lost = [] } = value
  if (!Array.isArray(scopes)) fail(`${field}.scopes`, 'an array', scopes)
  if (!Array.isArray(lost)) fail(`${field}.lost`, 'an array', lost)
  return { key, scopes: scopes as readonly Scope[], lost: lost as readonly Scope[] }
}

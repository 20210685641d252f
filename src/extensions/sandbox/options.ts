import { organizationLimits } from '../../api/limits.ts'
import { ownContentOf } from './own-content.ts'
import type { Growth } from './post-store.ts'
import { assertShape, optionsShape } from './shapes.ts'
import type { SandboxOptions } from './types.ts'

/** Options with defaults. */
export type Settings = ReturnType<typeof resolveOptions>

/** Refuses unknown options, and fills in defaults. */
export function resolveOptions(options: SandboxOptions) {
  const growing = typeof options.growth === 'number' ? { perHour: options.growth } : options.growth
  assertShape(optionsShape, 'createSandbox() options', { ...options, growth: growing })
  const { seed = 1, posts = 4000, latency = 0, limits = {}, content = {}, keys = [] } = options
  const now = clockOf('now', options.now)
  const { perHour, since } = growing ?? { perHour: 0 }
  const { inFlight, perMinute, windowMs } = organizationLimits
  return {
    ...{ seed, posts, keys, now },
    growth: { perHour, since: clockOf('growth.since', since ?? now)() } satisfies Growth,
    latency: typeof latency === 'number' ? ([latency, latency] as const) : latency,
    limits: {
      inFlight: limits.inFlight ?? inFlight,
      perMinute: limits.perMinute ?? perMinute,
      windowMs: limits.windowMs ?? windowMs,
    },
    own: ownContentOf(content, seed, now),
  }
}

function clockOf(name: string, now: SandboxOptions['now'] = () => Date.now()): () => number {
  return () => {
    const time = Number(typeof now === 'function' ? now() : now)
    if (time >= 0) return time
    throw new TypeError(`createSandbox() options: ${name} must be a time since 1970`)
  }
}

import type { Hooks } from '../../../src/index.ts'
import type { Random } from '../../../src/extensions/sandbox/random.ts'
import { crashes, drawThrown, failures, late } from './own-code.ts'

/** What a hook does before the request. */
const ways: Record<string, (random: Random) => unknown> = {
  ...crashes,
  hangs: () => failures['hangs']?.('hook'),
  'takes its time': (random) => late(() => undefined, random, 1, 5000),
  'rejects late': (random) => late(() => crashes['throws']?.(random), random, 100, 100),
  'returns anything': drawThrown,
}

/** Hooks of a call that fail before some requests; null for none. */
export function drawHooks(random: Random): { name: string; hooks: Hooks } | null {
  if (!random.chance(0.12)) return null
  const name = random.pick(Object.keys(ways))
  const share = random.pick([0.3, 1])
  const beforeRequest = (): never => (random.chance(share) ? ways[name]?.(random) : undefined) as never
  return { name: `a hook that ${name}`, hooks: { beforeRequest: [beforeRequest] } }
}

import type { Hooks } from '../../../src/index.ts'
import type { Random } from '../../../src/sandbox/random.ts'
import { awkwardValues } from '../../support/awkward-values.ts'

/** A value that the caller's code throws, and that may be impossible to print. */
export function drawThrown(random: Random): unknown {
  return random.pick(awkwardValues)[1]()
}

const answer = (status: number, body: string): Response =>
  new Response(body, { status, headers: { 'content-type': 'application/json' } })

const unavailable = '{"requestId":"req_hook","error":{"code":"unavailable"}}'

/** What a hook does after the response. */
const kinds: Record<string, (random: Random) => unknown> = {
  hangs: () => new Promise(() => {}),
  'takes its time': (random) => new Promise<void>((resolve) => setTimeout(resolve, random.integer(1, 5000))),
  throws: (random) => {
    throw drawThrown(random)
  },
  'rejects late': async (random) => {
    await new Promise((resolve) => setTimeout(resolve, 100))
    throw drawThrown(random)
  },
  'returns anything': (random) => drawThrown(random),
  'returns a 503': () => answer(503, unavailable),
  'returns a network error': () => Response.error(),
  'returns text': () => new Response('hooked'),
}

/** Hooks of a call that fail after some responses; null for none. */
export function drawHooks(random: Random): { name: string; hooks: Hooks } | null {
  if (!random.chance(0.12)) return null
  const name = random.pick(Object.keys(kinds))
  const share = random.pick([0.3, 1])
  const afterResponse = (): never => (random.chance(share) ? kinds[name]?.(random) : undefined) as never
  return { name: `a hook that ${name}`, hooks: { afterResponse: [afterResponse] } }
}

import { type Play, type Scene, chargeFor, goodBody, html, json } from './answers.ts'
import { brokenUp } from './odd-answers.ts'

type Failing = (scene: Scene) => Play

/** A wait that the service announces: in a header, under `error` or at the top of the body. */
function announce({ random }: Scene): {
  wait: number
  headers: [string, string][]
  error: object
  top: object
} {
  // Long waits close a surface for the rest of the run, so they are rare.
  const wait = random.chance(0.05) ? random.pick([0, 59, 61, 31_536_000]) : random.integer(1, 5)
  const where = random.pick(['header', 'header', 'error', 'top'])
  return {
    wait,
    headers: where === 'header' ? [['retry-after', `${wait}`]] : [],
    error: where === 'error' ? { retryAfter: wait } : {},
    top: where === 'top' ? { retryAfter: wait } : {},
  }
}

const codes: Record<number, string> = {
  ...{ 400: 'validation_error', 401: 'unauthorized', 429: 'rate_limited', 502: 'upstream_error' },
  503: 'professionalnet_unavailable',
}

/** An error with the service's own body, which is never charged. */
function refusal(status: number, scene: Scene, details: { requestId?: string; error?: object } = {}): Play {
  const { random, id, secret } = scene
  const isWait = (status === 429 || status === 503) && random.chance(0.8)
  const { wait, headers, error, top } = isWait
    ? announce(scene)
    : { wait: 0, headers: [], error: {}, top: {} }
  const message = random.chance(0.1) ? `the key ${secret} is wrong` : 'not now'
  const code = codes[status] ?? random.pick(['forbidden', 'not_found', 'internal', 'constructor', '5'])
  const body = JSON.stringify({
    requestId: details.requestId ?? `req_${id}`,
    ...top,
    error: { code, message, ...error, ...details.error },
  })
  return { charge: 0, isRefusal: true, answer: { status, headers: [json, ...headers], body, wait } }
}

/** Errors with the service's own body. */
export const refusals = {
  '400': (scene) => refusal(400, scene, { error: { issues: [{ path: scene.secret, message: 'too long' }] } }),
  '401': (scene) => refusal(401, scene),
  '402 to 451': (scene) => refusal(scene.random.pick([402, 403, 404, 409, 422, 451]), scene),
  '429': (scene) => refusal(429, scene),
  '500 to 599': (scene) => refusal(scene.random.pick([500, 501, 504, 520, 599]), scene),
  '502': (scene) => refusal(502, scene),
  '503': (scene) => refusal(503, scene),
  'ids that echo': (scene) =>
    refusal(scene.random.pick([400, 403, 500, 502]), scene, {
      ...{ requestId: brokenUp(scene), error: { code: brokenUp(scene) } },
    }),
} satisfies Record<string, Failing>

/** Bodies that are not the service's error body. */
const foreignBodies: ((scene: Scene) => string)[] = [
  () => '',
  () => '[]',
  () => '{"requestId":"","error":{"code":"rate_limited","retryAfter":1}}',
  () => '{"requestId":"r","error":{"code":"upstream_err',
  ({ secret }) => `<html>Bearer ${secret} is not allowed</html>`,
]

/** An error of something in between: whether the service has charged is anybody's guess. */
const stranger =
  (...statuses: number[]): Failing =>
  (scene) => {
    const { random } = scene
    const status = random.pick(statuses)
    const headers: [string, string][] = [random.pick([html, json])]
    if (random.chance(0.4)) headers.push(...announce(scene).headers)
    if (status < 400) headers.push(['location', 'https://evil.example/'])
    const charge = random.chance(0.5) ? chargeFor(scene, goodBody(scene)) : 0
    return { charge, answer: { status, headers, body: random.pick(foreignBodies)(scene) } }
  }

/** Statuses without the service's error body, redirects included. */
export const strangers = {
  redirect: stranger(302, 307),
  'foreign 4xx': stranger(400, 402, 403, 404, 413, 451),
  'foreign 401': stranger(401),
  'foreign 429': stranger(429),
  'foreign 5xx': stranger(500, 502, 503, 504, 520),
} satisfies Record<string, Failing>

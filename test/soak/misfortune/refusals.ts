import { type Play, type Scene, chargeFor, goodBody, html, json } from './answers.ts'
import { brokenUp, escapedInJson, nested } from './odd-answers.ts'

type Failing = (scene: Scene) => Play

const seconds = [
  '0',
  '1',
  '2',
  '5',
  '30',
  '59',
  '61',
  '1.5',
  '-1',
  'abc',
  '',
  '1e9',
  '1000000000',
  '31536000',
] as const

/** A wait in one of the ways that a server, or something in between, announces it. */
function announce({ random }: Scene): { headers: [string, string][]; error: object; top: object } {
  const headers: [string, string][] = []
  const date = (ms: number): string => new Date(Date.now() + ms).toUTCString()
  if (random.chance(0.3)) headers.push(['date', date(random.integer(-3_600_000, 3_600_000))])
  // Long waits close a surface for the rest of the run, so they are rare.
  const short = (): string => random.pick(random.chance(0.2) ? seconds : ['1', '2', '3'])
  const form = random.integer(0, 6)
  if (form === 0) headers.push(['retry-after', date(random.integer(-60_000, 20_000))])
  else if (form <= 4) headers.push(['retry-after', short()])
  if (form === 4) headers.push(['retry-after', short()])
  const inBody = random.pick<unknown>([1, 2, 3, 0, -1, 1.5, '2', null, {}, 4])
  const where = random.integer(0, 3)
  return {
    headers,
    error: where === 0 ? { retryAfter: inBody } : {},
    top: where === 1 ? { retryAfter: inBody } : {},
  }
}

const codes: Record<number, string> = {
  ...{ 400: 'validation_error', 401: 'unauthorized', 429: 'rate_limited', 502: 'upstream_error' },
  503: 'professionalnet_unavailable',
}

/** An error with the service's own body, which is never charged. */
function refusal(
  status: number,
  scene: Scene,
  details: { error?: object; text?(text: string): string } = {},
): Play {
  const { random, id, secret } = scene
  const isWait = status === 429 || status === 503 || random.chance(0.1)
  const { headers, error, top } = isWait ? announce(scene) : { headers: [], error: {}, top: {} }
  const message = random.chance(0.1) ? `the key ${secret} is wrong` : 'not now'
  const code = codes[status] ?? random.pick(['forbidden', 'not_found', 'internal', 'constructor', '5'])
  const body = JSON.stringify({
    requestId: `req_${id}`,
    ...top,
    error: { code, message, ...error, ...details.error },
  })
  const answer = { status, headers: [json, ...headers], body: details.text?.(body) ?? body }
  return { charge: 0, isRefusal: true, answer }
}

/** Errors with the service's own body. */
export const refusals = {
  '400': (scene) => {
    const good = [{ path: 'query', message: 'too long' }]
    const issues = scene.random.pick<unknown>([
      good,
      good,
      'x',
      [1],
      [{ path: 5 }],
      null,
      [{ path: scene.secret }],
    ])
    return refusal(400, scene, { error: { issues } })
  },
  '401': (scene) => refusal(401, scene),
  '403': (scene) => refusal(403, scene),
  '404 to 451': (scene) => refusal(scene.random.pick([402, 404, 405, 409, 418, 422, 451]), scene),
  '429': (scene) => refusal(429, scene),
  '500 to 599': (scene) => refusal(scene.random.pick([500, 501, 504, 520, 599]), scene),
  '502': (scene) => refusal(502, scene),
  '503': (scene) => refusal(503, scene),
  'deep error': (scene) =>
    refusal(scene.random.pick([400, 429, 500, 502, 503]), scene, {
      text: (text) =>
        `${text.slice(0, -1)},"deep":${nested(scene.random.pick([3000, 9000, 100_000]), 'object')}}`,
    }),
  'error id that echoes': (scene) =>
    refusal(scene.random.pick([400, 403, 500, 502]), scene, {
      error: { code: brokenUp(scene) },
      text: (text) => text.replace(`"req_${scene.id}"`, () => JSON.stringify(brokenUp(scene))),
    }),
  'error that echoes': (scene) =>
    refusal(scene.random.pick([400, 403, 500, 502]), scene, {
      text: (text) => `${text.slice(0, -1)},"echo":"${escapedInJson(scene.secret)}"}`,
    }),
} satisfies Record<string, Failing>

/** Bodies that are not the service's error body. */
const foreignBodies: ((scene: Scene) => string)[] = [
  () => '<html><h1>Forbidden</h1></html>',
  () => '',
  () => '{}',
  () => '[]',
  () => 'null',
  () => '{"message":"Forbidden"}',
  () => '{"requestId":"","error":{"code":"rate_limited","retryAfter":1}}',
  () => '{"error":{"code":"upstream_error"}}',
  () => '{"requestId":"r","error":{}}',
  () => '{"requestId":"r","error":{"code":""}}',
  () => '{"requestId":"r","error":{"code":5}}',
  () => '{"requestId":7,"error":{"code":"x"}}',
  () => '{"requestId":"r","error":"upstream_error"}',
  () => '{"requestId":"r"}',
  () => '{"requestId":"r","error":{"code":"upstream_err',
  ({ secret }) => `<html>Bearer ${secret} is not allowed</html>`,
  ({ secret }) => `{"requestId":"","error":{"code":"x","message":"${escapedInJson(secret)}`,
  () => nested(100_000, 'array'),
]

/** An error of something in between: whether the service has charged is anybody's guess. */
function stranger(status: number, scene: Scene): Play {
  const { random } = scene
  const headers: [string, string][] = [random.pick([html, json])]
  if (random.chance(0.4)) headers.push(...announce(scene).headers)
  const charge = random.chance(0.5) ? chargeFor(scene, goodBody(scene)) : 0
  return { charge, answer: { status, headers, body: random.pick(foreignBodies)(scene) } }
}

/** Statuses without the service's error body, redirects included. */
export const strangers = {
  'foreign 4xx': (scene) => stranger(scene.random.pick([400, 402, 404, 407, 408, 413, 418, 431, 451]), scene),
  'foreign 401': (scene) => stranger(401, scene),
  'foreign 403': (scene) => stranger(403, scene),
  'foreign 429': (scene) => stranger(429, scene),
  'foreign 5xx': (scene) => stranger(scene.random.pick([500, 501, 502, 503, 504, 520, 529]), scene),
  redirect: (scene) => {
    const { status, headers, body } = stranger(scene.random.pick([301, 302, 303, 307, 308]), scene).answer!
    const location = scene.random.pick([
      'https://evil.example/',
      '/v1/elsewhere',
      'http://simulated.example/v1',
    ])
    const charge = scene.random.chance(0.3) ? chargeFor(scene, goodBody(scene)) : 0
    return { charge, answer: { status, headers: [...headers, ['location', location]], body } }
  },
  'odd 3xx': (scene) => {
    const status = scene.random.pick([300, 304, 305, 399])
    const charge = scene.random.chance(0.3) ? chargeFor(scene, goodBody(scene)) : 0
    return { charge, answer: { status, headers: [], body: status === 304 ? null : '' } }
  },
} satisfies Record<string, Failing>

import type { Random } from '../../../src/extensions/sandbox/random.ts'
import { type Play, type Scene, chargeFor, goodAnswer, goodBody, html, json, success } from './answers.ts'

type Body = Record<string, unknown>
type Happening = (scene: Scene) => Play

export type MishapName =
  | 'success'
  | keyof typeof accidents
  | keyof typeof oddAnswers
  | keyof typeof refusals
  | keyof typeof strangers

/** Something that happens to a request. */
export interface Mishap {
  readonly name: MishapName
  /** How often it is drawn, against the other mishaps. */
  readonly weight: number
  play(scene: Scene): Play
}

/** An error as Node's fetch throws it: the reason is in `cause`. */
function fetchFailed(cause: object): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error('low level'), cause) })
}

const broken = ({ random, secret }: Scene): unknown =>
  random.pick<() => unknown>([
    () => fetchFailed({ code: 'ECONNRESET', syscall: 'read' }),
    () => fetchFailed({ code: 'UND_ERR_SOCKET', socket: { authorization: secret } }),
    // Also of an established connection: the syscall tells.
    () => fetchFailed({ code: 'ECONNREFUSED', syscall: 'read' }),
    () => new TypeError(`could not send {"authorization":"Bearer ${secret}"}`),
    () => undefined,
  ])()

const chargeAll = (scene: Scene): number => chargeFor(scene, goodBody(scene))

/** Errors of the network before, between and in the middle of answers. */
const accidents = {
  'not sent': () => ({ charge: 0, unsent: fetchFailed({ code: 'ECONNREFUSED', syscall: 'connect' }) }),
  'reset before the charge': (scene) => ({ charge: 0, end: 'reset', error: broken(scene) }),
  'reset after the charge': (scene) => ({ charge: chargeAll(scene), end: 'reset', error: broken(scene) }),
  'no answer': (scene) => ({ charge: scene.random.chance(0.5) ? chargeAll(scene) : 0, end: 'stall' }),
  'stall in the body': (scene) => ({ ...goodAnswer(scene), isClean: false, end: 'stall' }),
  'reset in the body': (scene) => ({
    ...goodAnswer(scene),
    isClean: false,
    end: 'reset',
    error: broken(scene),
  }),
  'cut body': (scene) => ({ ...goodAnswer(scene), isClean: false, end: 'cut' }),
} satisfies Record<string, Happening>

/** A secret as a careless service would repeat it. */
const echo = ({ secret, random }: Scene): string => random.pick([secret, secret, encodeURIComponent(secret)])

/** A secret with line breaks, which ids lose on their way into errors. */
function brokenUp({ secret, random }: Scene): string {
  return random.pick([secret, `${secret.slice(0, 9)}\r\n${secret.slice(9)}`, `a ${secret}`])
}

function itemsIn({ operation }: Scene, body: Body): unknown[] {
  const items = body[operation.list ?? '']
  return Array.isArray(items) ? items : []
}

/** Changes a good body. */
const changed =
  (change: (body: Body, scene: Scene) => unknown): Happening =>
  (scene) => {
    const body = goodBody(scene)
    return success(scene, change(body, scene) ?? body)
  }

/** A 2xx of something in between; the service may have charged, or never seen the request. */
const foreign =
  (body: (scene: Scene) => string, type = html): Happening =>
  (scene) => ({
    charge: scene.random.chance(0.6) ? chargeFor(scene, goodBody(scene)) : 0,
    answer: { status: 200, headers: [type], body: body(scene) },
  })

const meta = (body: Body): Body => (body['meta'] ??= {}) as Body

/**
 * Successes that are not what the service documents, one of each kind: test/faults has the others. Each is charged, unless
 * it came from something in between.
 */
const oddAnswers = {
  'html with 200': foreign((scene) => `<html>${echo(scene)}</html>`),
  'other JSON': foreign(({ random }) => random.pick(['[]', 'null', '{"ok":true}']), json),
  'no request id': changed((body) => without(body, 'requestId')),
  'request id that echoes': changed((body, scene) => void (body['requestId'] = brokenUp(scene))),
  'wrong shape': changed((body, { operation, random }) => {
    const name = random.pick([operation.list ?? 'company', 'meta'])
    if (random.chance(0.5)) return without(body, name)
    return { ...body, [name]: random.pick<unknown>(['none', 5, null, {}, [1]]) }
  }),
  'wrong items': changed((body, scene) => {
    const items = itemsIn(scene, body)
    items.forEach((_, index) => {
      if (scene.random.chance(0.6))
        items[index] = scene.random.pick<unknown>([1, null, {}, [], 'x', { id: 5 }])
    })
  }),
  'wrong creditsCharged': changed(
    (body, { random, operation: { price } }) =>
      // No more than the call has reserved.
      void (meta(body)['creditsCharged'] = random.pick<unknown>([
        ...[undefined, -1, 1.5, '3', 0],
        price === 'items' ? 40 : price,
      ])),
  ),
  echo: changed((body, scene) => ({ ...body, echo: echo(scene) })),
  'echo in cut JSON': (scene) => {
    const text = JSON.stringify({ echo: scene.secret, ...goodBody(scene) })
    return success(scene, undefined, text.slice(0, -9))
  },
  'echo in headers': (scene) => success(scene, goodBody(scene), undefined, [['x-echo', scene.secret]]),
  'wrong page': changed((body, { random }) => void (meta(body)['page'] = random.pick<unknown>([1, 7, 2]))),
  'same cursor': changed((body, { page }) => {
    Object.assign(meta(body), { hasMore: true, nextCursor: `cursor-${Math.max(2, page)}` })
  }),
  'no cursor': changed((body, { random }) => {
    Object.assign(meta(body), { hasMore: true, nextCursor: random.pick<unknown>(['', undefined, null, 5]) })
  }),
} satisfies Record<string, Happening>

function without(body: Body, name: string): Body {
  return Object.fromEntries(Object.entries(body).filter(([key]) => key !== name))
}

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
const refusals = {
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
} satisfies Record<string, Happening>

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
  (...statuses: number[]): Happening =>
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
const strangers = {
  redirect: stranger(302, 307),
  'foreign 4xx': stranger(400, 402, 403, 404, 413, 451),
  'foreign 401': stranger(401),
  'foreign 429': stranger(429),
  'foreign 5xx': stranger(500, 502, 503, 504, 520),
} satisfies Record<string, Happening>

/** What matters only late in a walk is frequent. */
const weights: Partial<Record<MishapName, number>> = { 'same cursor': 4, 'no answer': 2 }

function list(group: Record<string, (scene: Scene) => Play>, weight: number): Mishap[] {
  return Object.entries(group).map(([name, play]) => ({
    name: name as MishapName,
    weight: weights[name as MishapName] ?? weight,
    play,
  }))
}

/** All but success. */
export const mishaps: readonly Mishap[] = [
  ...list(accidents, 4),
  ...list(refusals, 3),
  ...list(strangers, 2),
  ...list(oddAnswers, 1),
]

const noMishap: Mishap = { name: 'success', weight: 1, play: goodAnswer }

/** The service does not accept the token any more. */
export const revoked: Mishap = { name: '401', weight: 1, play: refusals['401'] }

/** @param share The fraction of requests that meet with misfortune. */
export function drawMishap(random: Random, share: number): Mishap {
  if (!random.chance(share)) return noMishap
  let left = random.next() * mishaps.reduce((sum, { weight }) => sum + weight, 0)
  return mishaps.find(({ weight }) => (left -= weight) < 0) ?? noMishap
}

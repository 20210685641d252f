import type { Random } from '../../../src/extensions/sandbox/random.ts'
import { industries, networkPosts, page as microblogPage } from '../../support/pages.ts'
import type { SoakOperation } from './operations.ts'
import type { Evidence } from './world.ts'

/** The request that is to be answered. */
export interface Scene {
  readonly operation: SoakOperation
  /** Id of the call. */
  readonly id: string
  /** Position in the walk, from 1. */
  readonly page: number
  /** Pages that the service has for this walk. */
  readonly pages: number
  /** The credential that the request carries. */
  readonly secret: string
  readonly random: Random
}

/** What the client gets. */
export interface Answer {
  /** Where the exchange ends early: before or after the request is sent, or within the body, if there is a status. */
  readonly breaks?: 'unsent' | 'reset' | 'stall' | 'cut'
  /** With which error; none for a stall. */
  readonly error?: unknown
  readonly status?: number
  readonly headers?: readonly [string, string][]
  /** What the service answers; what it charges may depend on it. */
  readonly body?: Body
  /** Instead of the body as JSON. */
  readonly text?: string
  /** Seconds to wait that the service announces. */
  readonly wait?: number
}

/** Something that happens to a request. */
type Row = readonly [
  name: string,
  /** How often it is drawn, against the others. */
  weight: number,
  /** How likely it is that the service charges nevertheless. */
  charges: number,
  /** What the client can know, if it gets all of the answer. */
  evidence: Evidence,
  answer: (scene: Scene) => Answer,
]
export type Fault = ReturnType<typeof faultOf>
type Body = Record<string, unknown>

const type = (name: string): [string, string] => ['content-type', name]
const json = type('application/json')
const html = type('text/html')

/** Ids of the items on a page: some on each, and none past the last one. */
function idsOf({ id, operation, page, pages }: Scene): string[] {
  const count = operation.paging === undefined ? 3 : page > pages ? 0 : 1 + ((page + id.length) % 3)
  return Array.from({ length: count }, (_, index) => `${id}.${page}.${index}`)
}

const comment = (id: string): Body => ({
  ...{ profileUrl: '', authorName: id, authorHeadline: '', text: id },
  ...{ timestamp: '2026-11-20T10:00:00.000Z', permalink: id },
})

const company = (id: string): Body => ({
  ...{ id, name: id, universalName: null, linkedinUrl: null, description: null, tagline: null },
  ...{ websiteUrl: null, industry: null, foundedYear: null, followerCount: 0, employeeCount: 1 },
  ...{ employeeCountRange: null, headquarter: null, locations: [], specialities: [], logoUrl: null },
})

/** A body of documented shape. */
function goodBody(scene: Scene): Body {
  const { operation, page, pages, id } = scene
  const ids = idsOf(scene)
  const next = page < pages ? `cursor-${page + 1}` : undefined
  switch (operation.id) {
    case 'microblog.search':
      return microblogPage(ids, next)
    case 'professionalnet.posts.search':
      return networkPosts(page, ...ids)
    case 'professionalnet.industries.list':
      return industries(page, pages)
    case 'professionalnet.company.get':
      return { requestId: `req_${id}`, company: company(id) }
    case 'professionalnet.posts.comments': {
      const meta = { returnedCount: ids.length, total: ids.length, creditsCharged: ids.length }
      return { requestId: `req_${id}`, comments: ids.map(comment), meta }
    }
  }
  if (operation.list === undefined) return { requestId: `req_${id}`, id, note: 'as sent' }
  const meta = { hasMore: next !== undefined, ...(next !== undefined && { nextCursor: next }) }
  return { requestId: `req_${id}`, [operation.list]: ids.map((id) => ({ id, text: `Text of ${id}` })), meta }
}

const itemsIn = ({ list = '' }: SoakOperation, body: Body): unknown[] =>
  Array.isArray(body[list]) ? (body[list] as unknown[]) : []

/** Items of a page as the service sends them, as JSON. */
export function itemsOf(scene: Omit<Scene, 'random' | 'secret'>): string[] {
  return itemsIn(scene.operation, goodBody(scene as Scene)).map((item) => JSON.stringify(item))
}

/** What the service charges for a success with this body. */
export function chargeFor(scene: Scene, body = goodBody(scene)): number {
  const { operation } = scene
  if (operation.price === 0) return 0
  const said = (body['meta'] as { creditsCharged?: unknown } | null | undefined)?.creditsCharged
  if (typeof said === 'number' && Number.isSafeInteger(said) && said >= 0) return said
  return operation.price === 'items' ? itemsIn(operation, body).length : operation.price
}

/** An error as Node's fetch throws it: the reason is in `cause`. */
function fetchFailed(cause: object): Error {
  return new TypeError('fetch failed', { cause: Object.assign(new Error('low level'), cause) })
}

const refusedConnection = fetchFailed({ code: 'ECONNREFUSED', syscall: 'connect' })

/** A connection that breaks, as runtimes tell it. */
const reset = ({ random, secret }: Scene): Answer => ({
  breaks: 'reset',
  error: random.pick([
    fetchFailed({ code: 'ECONNRESET', syscall: 'read' }),
    fetchFailed({ code: 'UND_ERR_SOCKET', socket: { authorization: secret } }),
    // Also of an established connection: the syscall tells.
    fetchFailed({ code: 'ECONNREFUSED', syscall: 'read' }),
    new TypeError(`could not send {"authorization":"Bearer ${secret}"}`),
    undefined,
  ]),
})

const success = (body: Body, more: Answer = {}): Answer => ({ status: 200, headers: [json], body, ...more })
const page = (scene: Scene): Answer => success(goodBody(scene))

/** A success with a good body that was changed. */
const changed =
  (change: (body: Body, scene: Scene) => Body): Row[4] =>
  (scene) =>
    success(change(goodBody(scene), scene))

/** Changes the `meta` of a good body. */
const changedMeta = (change: (scene: Scene) => object): Row[4] =>
  changed((body, scene) => ({ ...body, meta: { ...(body['meta'] as object), ...change(scene) } }))

const without = (body: Body, name: string): Body =>
  Object.fromEntries(Object.entries(body).filter(([key]) => key !== name))

/** A secret as a careless service would repeat it. */
const echo = ({ secret, random }: Scene): string => random.pick([secret, secret, encodeURIComponent(secret)])

/** A secret with line breaks, which ids lose on their way into errors. */
const brokenUp = ({ secret, random }: Scene): string =>
  random.pick([secret, `${secret.slice(0, 9)}\r\n${secret.slice(9)}`, `a ${secret}`])

/** A wait that the service announces: in a header, under `error` or at the top of the body. */
function announce({ random }: Scene) {
  // Long waits close a surface for the rest of the run, so they are rare.
  const wait = random.chance(0.05) ? random.pick([0, 59, 61, 31_536_000]) : random.integer(1, 5)
  const where = random.pick(['header', 'header', 'error', 'top'])
  const header: [string, string] = ['retry-after', `${wait}`]
  const inBody = (place: string): object => (where === place ? { retryAfter: wait } : {})
  return { wait, headers: where === 'header' ? [header] : [], error: inBody('error'), top: inBody('top') }
}

const codes: Record<number, string> = {
  ...{ 400: 'validation_error', 401: 'unauthorized', 429: 'rate_limited', 502: 'upstream_error' },
  503: 'professionalnet_unavailable',
}

/** An error with the service's own body. */
const refusal =
  (statuses: number[], details: (scene: Scene) => { requestId?: string; error?: object } = () => ({})) =>
  (scene: Scene): Answer => {
    const { random, id, secret } = scene
    const status = random.pick(statuses)
    const isWait = (status === 429 || status === 503) && random.chance(0.8)
    const none = { wait: 0, headers: [], error: {}, top: {} }
    const { wait, headers, error, top } = isWait ? announce(scene) : none
    const message = random.chance(0.1) ? `the key ${secret} is wrong` : 'not now'
    const code = codes[status] ?? random.pick(['forbidden', 'not_found', 'internal', 'constructor', '5'])
    const { requestId = `req_${id}`, error: more } = details(scene)
    const body = { requestId, ...top, error: { code, message, ...error, ...more } }
    return { status, headers: [json, ...headers], body, wait }
  }

/** An error of something in between, without the service's error body. */
const stranger =
  (...statuses: number[]) =>
  (scene: Scene): Answer => {
    const { random, secret } = scene
    const status = random.pick(statuses)
    const headers = [random.pick([html, json]), ...(random.chance(0.4) ? announce(scene).headers : [])]
    if (status < 400) headers.push(['location', 'https://evil.example/'])
    const text = random.pick([
      '',
      '[]',
      '{"requestId":"","error":{"code":"rate_limited","retryAfter":1}}',
      '{"requestId":"r","error":{"code":"upstream_err',
      `<html>Bearer ${secret} is not allowed</html>`,
    ])
    return { status, headers, text }
  }

const invalidFields = refusal([400], ({ secret }) => ({
  error: { issues: [{ path: secret, message: 'too long' }] },
}))

const echoingIds = refusal([400, 403, 500, 502], (scene) => ({
  ...{ requestId: brokenUp(scene), error: { code: brokenUp(scene) } },
}))

/** A success of something in between. */
const foreign =
  (type: [string, string], text: (scene: Scene) => string) =>
  (scene: Scene): Answer => ({ status: 200, headers: [type], text: text(scene) })

const wrongShape = changed((body, { operation, random }) => {
  const name = random.pick([operation.list ?? 'company', 'meta'])
  if (random.chance(0.5)) return without(body, name)
  return { ...body, [name]: random.pick<unknown>(['none', 5, null, {}, [1]]) }
})

const wrongItems = changed((body, { operation, random }) => {
  const items = itemsIn(operation, body)
  for (const index of items.keys())
    if (random.chance(0.6)) items[index] = random.pick<unknown>([1, null, {}, [], 'x', { id: 5 }])
  return body
})

/** No more than the call has reserved. */
const wrongCredits = changedMeta(({ random, operation: { price } }) => ({
  creditsCharged: random.pick<unknown>([undefined, -1, 1.5, '3', 0, price === 'items' ? 40 : price]),
}))

const sameCursor = changedMeta(({ page }) => ({ hasMore: true, nextCursor: `cursor-${Math.max(2, page)}` }))

const noCursor = changedMeta(({ random }) => ({
  ...{ hasMore: true, nextCursor: random.pick<unknown>(['', undefined, null, 5]) },
}))

const cutEcho = (scene: Scene): Answer => {
  const body = { echo: scene.secret, ...goodBody(scene) }
  return success(body, { text: JSON.stringify(body).slice(0, -9) })
}

const echoingHeader = (scene: Scene): Answer =>
  success(goodBody(scene), { headers: [json, ['x-echo', scene.secret]] })

/** All that can happen, besides a page. What matters only late in a walk is frequent. */
const rows: readonly Row[] = [
  // Errors of the network before, between and in the middle of answers.
  ['not sent', 4, 0, 'unsent', () => ({ breaks: 'unsent', error: refusedConnection })],
  ['reset before the charge', 4, 0, 'unclear', reset],
  ['reset after the charge', 4, 1, 'unclear', reset],
  ['no answer', 2, 0.5, 'unclear', () => ({ breaks: 'stall' })],
  ['stall in the body', 4, 1, 'unclear', (scene) => ({ ...page(scene), breaks: 'stall' })],
  ['reset in the body', 4, 1, 'unclear', (scene) => ({ ...page(scene), ...reset(scene) })],
  ['cut body', 4, 1, 'odd', (scene) => ({ ...page(scene), breaks: 'cut' })],
  // Errors of the service, which are never charged.
  ['400', 3, 0, 'refused', invalidFields],
  ['401', 3, 0, 'refused', refusal([401])],
  ['402 to 451', 3, 0, 'refused', refusal([402, 403, 404, 409, 422, 451])],
  ['429', 3, 0, 'refused', refusal([429])],
  ['500 to 599', 3, 0, 'refused', refusal([500, 501, 504, 520, 599])],
  ['502', 3, 0, 'refused', refusal([502])],
  ['503', 3, 0, 'refused', refusal([503])],
  ['ids that echo', 3, 0, 'refused', echoingIds],
  // Answers of something in between: whether the service has charged is anybody's guess.
  ['redirect', 2, 0.5, 'unclear', stranger(302, 307)],
  ['foreign 4xx', 2, 0.5, 'unclear', stranger(400, 402, 403, 404, 413, 451)],
  ['foreign 401', 2, 0.5, 'unclear', stranger(401)],
  ['foreign 429', 2, 0.5, 'unclear', stranger(429)],
  ['foreign 5xx', 2, 0.5, 'unclear', stranger(500, 502, 503, 504, 520)],
  ['html with 200', 1, 0.6, 'odd', foreign(html, (scene) => `<html>${echo(scene)}</html>`)],
  ['other JSON', 1, 0.6, 'odd', foreign(json, ({ random }) => random.pick(['[]', 'null', '{"ok":true}']))],
  // Successes that are not what the service documents, one of each kind: test/faults has the others.
  ['no request id', 1, 1, 'odd', changed((body) => without(body, 'requestId'))],
  ['echoing id', 1, 1, 'odd', changed((body, scene) => ({ ...body, requestId: brokenUp(scene) }))],
  ['wrong shape', 1, 1, 'odd', wrongShape],
  ['wrong items', 1, 1, 'odd', wrongItems],
  ['wrong creditsCharged', 1, 1, 'odd', wrongCredits],
  ['echo', 1, 1, 'odd', changed((body, scene) => ({ ...body, echo: echo(scene) }))],
  ['echo in cut JSON', 1, 1, 'odd', cutEcho],
  ['echo in headers', 1, 1, 'odd', echoingHeader],
  ['wrong page', 1, 1, 'odd', changedMeta(({ random }) => ({ page: random.pick([1, 7, 2]) }))],
  ['same cursor', 4, 1, 'odd', sameCursor],
  ['no cursor', 1, 1, 'odd', noCursor],
]

const faultOf = ([name, weight, charges, evidence, answer]: Row) => ({
  ...{ name, weight, charges, evidence, answer },
})

export const faults: readonly Fault[] = rows.map(faultOf)

const noFault = faultOf(['success', 1, 1, 'page', page])

/** The service does not accept the token any more. */
export const revoked = faultOf(['401', 1, 0, 'refused', refusal([401])])

/** @param share The fraction of requests that meet with a fault. */
export function drawFault(random: Random, share: number): Fault {
  if (!random.chance(share)) return noFault
  let left = random.next() * faults.reduce((sum, { weight }) => sum + weight, 0)
  return faults.find(({ weight }) => (left -= weight) < 0) ?? noFault
}

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { mentionsSetState } from '../../../src/api/endpoints/mentions.ts'
import { microblogSearch } from '../../../src/api/endpoints/microblog.ts'
import { organizationUsage } from '../../../src/api/endpoints/organization.ts'
import type { Effect, Operation } from '../../../src/api/operation.ts'
import type { Evidence } from '../../../src/core/call/send.ts'
import { timedOut as timePassed } from '../../../src/core/call/cancellation.ts'
import { checkAnswer } from '../../../src/core/call/check.ts'
import { readAnswer } from '../../../src/core/call/read-answer.ts'
import { type Failed, newRecord } from '../../../src/core/call/call.ts'
import { serviceFormat } from '../../../src/core/http/answer.ts'
import { FetchMisuse } from '../../../src/core/http/network-error.ts'
import { FollowedRequest } from '../../../src/core/http/undici.ts'
import { Redactor } from '../../../src/lib/redactor.ts'

const operations: Readonly<Record<Effect, Operation>> = {
  read: organizationUsage,
  metered: microblogSearch,
  write: mentionsSetState,
}
const effects = Object.keys(operations) as Effect[]

/** What is varied besides the evidence. */
interface Options {
  readonly retriesUnknown?: boolean
  readonly refreshable?: boolean
}

type Happened = Partial<Evidence> & Pick<Evidence, 'kind'>

function callOf(operation: Operation, options: Options, failures: Failed[]) {
  const { retriesUnknown = false, refreshable = false } = options
  return {
    operation,
    client: { baseUrl: 'https://api.example/v1', bodyFormat: serviceFormat, credential: { refreshable } },
    settings: { retry: { retriesUnknown, maxAttempts: Infinity, maxWaitMs: 60_000 }, validation: 'strict' },
    timeoutMs: 30_000,
    cancellation: { sendBy: Infinity },
    record: { ...newRecord(new Redactor()), failures },
  } as never
}

function evidenceOf(happened: Happened): Evidence {
  const sent = '2026-11-27T00:00:00.000Z'
  const past = { queued: 0, paced: 0, sent, duration: 1, status: undefined, phase: 'headers', at: 0 }
  return { ...past, leftMs: Infinity, ...happened } as Evidence
}

/** What is thought of an attempt that failed, with its error. */
function failureOf(happened: Happened, operation: Operation = microblogSearch): object {
  const call = callOf(operation, { refreshable: true }, [])
  const verdict = readAnswer(call, evidenceOf(happened)) as Failed
  return { ...verdict, error: verdict.toError({ operation: operation.id }) }
}

/** The verdicts of a call whose attempts all fail in the same way, up to ten. */
async function verdictsOf(
  effect: Effect,
  happened: () => Happened,
  options: Options = {},
): Promise<Failed[]> {
  const failures: Failed[] = []
  const call = callOf(operations[effect], options, failures)
  while (failures.length < 10 && failures.at(-1)?.wait !== null) {
    const evidence = evidenceOf(happened())
    const verdict = readAnswer(call, evidence, () => 0.5)
    if (!verdict.ok) failures.push(verdict)
    else {
      const checked = await checkAnswer(call, verdict, evidence.sent)
      if (!('toError' in checked)) throw new Error('the answer is usable')
      failures.push(checked)
    }
  }
  return failures
}

const answered = (status: number, body: unknown, headers = {}, type = 'basic'): Happened => {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  // No `Response` can be made with some statuses.
  const response = { status, type, headers: new Headers(headers) } as Response
  return { kind: 'answered', response, text, complete: true, status, phase: 'body' }
}
const own = (status: number, headers = {}) =>
  answered(status, { requestId: 'r', error: { code: 'x' } }, headers)
const gateway = (status: number, headers = {}) => answered(status, '<h1>Bad gateway</h1>', headers)
const broken = (code: string, isSent: boolean) => (): Happened => {
  const followed = new FollowedRequest('https://a.example/', AbortSignal.abort())
  if (isSent) followed.send('/')
  return { kind: 'broken', error: Object.assign(new Error(code), { code }), followed }
}
const allBroken = (codes: readonly string[], isSent = false) => codes.map((code) => broken(code, isSent))
const late = (): Happened => ({ kind: 'late' })
const aborted = (): Happened => ({ kind: 'aborted', reason: new Error('mine') })
const timedOut = (): Happened => ({ kind: 'aborted', reason: timePassed('deadline', 100, 'headers') })
const misused = (): Happened => ({ kind: 'misused', error: new FetchMisuse('no response') })
const unreadable = (): Happened => answered(200, '{"requestId":"r_1"')
const nobodys = (): Happened => answered(200, '<h1>Welcome</h1>')

const refusedTunnel = 'Proxy response (407) !== 200 when HTTP Tunneling'
const unsent = allBroken(['ENOTFOUND', 'ECONNREFUSED', 'UND_ERR_CONNECT_TIMEOUT'])
const untrusted = allBroken(['CERT_HAS_EXPIRED', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', refusedTunnel])
/** After ours, a fetch of the user has made another request, which was not sent. */
const another = allBroken(['ECONNREFUSED', 'CERT_HAS_EXPIRED'], true)
const lost = [...allBroken(['ECONNRESET', 'UND_ERR_SOCKET']), ...another, late]
const redirects = [301, 302, 303, 307, 308, 304].map((status) => () => gateway(status))
const inWords = 'refused stream before processing any application logic'
const refusedStreams = allBroken(['NGHTTP2_REFUSED_STREAM', inWords], true)

const statuses = [400, 403, 404, 429, 500, 502, 503, 504]
/** What happens in each row of the table in docs/errors.md. */
const worlds: Readonly<Record<string, readonly (() => Happened)[]>> = {
  '400, 404': [() => own(400), () => own(404)],
  401: [() => own(401)],
  403: [() => own(403)],
  429: [() => own(429)],
  '502, 503': [() => own(502), () => own(503)],
  '500, 504': [() => own(500), () => own(504)],
  'an error status of a proxy or firewall': statuses.map((status) => () => gateway(status)),
  'no connection': unsent,
  'the certificate is not trusted, or a proxy refuses the tunnel (403, 407)': untrusted,
  'an HTTP/2 server refuses the request before it processes it': refusedStreams,
  'a reset or timeout after sending': lost,
  'a redirect or another 3xx': redirects,
  'a response that cannot be used': [unreadable, nobodys],
}

/** The rows of the table, by the words before the first colon. */
const rows = readFileSync(new URL('../../../docs/errors.md', import.meta.url), 'utf8')
  .split('## Was I charged?')[1]!
  .split('\n## ')[0]!
  .split('\n')
  .filter((line) => /^\| (?!What happened|-)/.test(line))
  .map((line) => {
    const cells = line.split('|').map((cell) => cell.trim().replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'))
    const [, what = '', charged = '', retried = ''] = cells
    return { what: what.split(':')[0]!, charged, retried }
  })

describe('the table "Was I charged?" of docs/errors.md', () => {
  it('has a row for each failure after sending', () => {
    const named = rows.map(({ what }) => what)
    expect(named.toSorted()).toEqual(['nothing was sent', ...Object.keys(worlds)].sort())
  })

  describe.each(rows.filter(({ what }) => what in worlds))('$what', ({ what, charged, retried }) => {
    it.each(effects)('charges, and is retried, as it says: %s', async (effect) => {
      for (const world of worlds[what]!) {
        const failures = await verdictsOf(effect, world, { refreshable: true })
        const { status } = world() as { status?: number }
        const isNamed = /\brequestId\b/.test(charged) && world === unreadable
        const says = charged.startsWith('yes') ? (isNamed ? 'yes' : 'unknown') : charged
        if (effect === 'write') continue
        // "For a free call, `charged` is always `no`."
        const took = effect === 'metered' ? says : 'no'
        expect(failures.map((each) => each.tookEffect)).toEqual(failures.map(() => took))
        expect(failures).toHaveLength(attemptsIn(retried, effect, status))
      }
    })
  })
})

/** The attempts that the text of a cell promises. */
function attemptsIn(retried: string, effect: Effect, status = 0): number {
  if (retried === 'no') return 1
  if (retried.startsWith('once, with a new OAuth token')) return 2
  // "After 429s, it makes five attempts": without an announced time.
  if (retried.startsWith('yes, after the announced time')) return 5
  const [, most] = /up to (\d) attempts/.exec(retried)!
  if (retried.startsWith('free reads') && effect !== 'read') return 1
  if (retried.includes('for a 429 or 5xx') && status !== 429 && status < 500) return 1
  return Number(most)
}

/** All that can happen after sending, also what the table leaves out: an end by the caller, or by this package. */
const all = [...Object.values(worlds).flat(), aborted, timedOut, misused]

describe('readAnswer() keeps the promise about', () => {
  it.each([aborted, timedOut, misused])('an end by the caller, or by this package: $name', async (world) => {
    const ends = await Promise.all(effects.map((effect) => verdictsOf(effect, world)))
    const [no, unknown] = [[{ tookEffect: 'no' }], [{ tookEffect: 'unknown' }]]
    expect(ends).toMatchObject([no, unknown, unknown])
  })

  it.each([
    ['what was not sent', [...unsent, ...refusedStreams], 3],
    ['what cannot be sent', untrusted, 1],
  ])('%s, whatever the call is', async (_, worlds, attempts) => {
    for (const world of worlds)
      for (const effect of effects) expect(await verdictsOf(effect, world)).toHaveLength(attempts)
  })

  it('a 401, which is tried once more with a fresh token', async () => {
    for (const effect of effects) {
      expect(await verdictsOf(effect, () => own(401), { refreshable: true })).toHaveLength(2)
      const ofGateway = await verdictsOf(effect, () => gateway(401), { refreshable: true })
      expect(ofGateway.map(({ refreshes }) => refreshes)).toEqual(effect === 'read' ? [true, false] : [false])
    }
  })

  it('retry.unknown, which makes paid calls and writes as patient as reads', async () => {
    for (const world of all) {
      const [read, ...others] = await Promise.all(
        effects.map((each) => verdictsOf(each, world, { retriesUnknown: true })),
      )
      const isPaid = others[0]![0]!.tookEffect === 'yes'
      expect(others.map(({ length }) => length)).toEqual([isPaid ? 1 : read!.length, read!.length])
    }
  })
})

const failed = (status: number, body: unknown, headers = {}): object =>
  failureOf(answered(status, body, headers))
const notSent = { sent: null }

const ownBody = (code: string, error: object = {}) => ({ requestId: 'req_1', error: { code, ...error } })
const byProxy = (code: string, error: object = {}) => ownBody(code, { charged: 'no', ...error })
const ofProxy = { 'social-search-credits': 'spent=2, uncertain=0, charged=yes' }
const without = (name: string): unknown =>
  expect.not.objectContaining({ [name]: expect.anything() as unknown })

const wordy = byProxy('x', { charged: 'yes', message: `a\nb${'c'.repeat(600)}` })
const inOneLine: unknown = expect.stringMatching(/^microblog.search: a bc{497}…\. Retry later\.$/)

// The fault catalogue has the usual statuses, of the service and of something in between.
it.each<[string, object, object]>([
  [
    'an opaque redirect has no status',
    failureOf(answered(0, '', {}, 'opaqueredirect')),
    { kind: 'final', wait: null, error: without('status') },
  ],
  ...[301, 303].map((status): [string, object, object] => [
    `${status} is a redirect`,
    failed(status, ''),
    { error: { name: 'RedirectError', status } },
  ]),
  [
    '305 with an error body does not come from the service',
    failed(305, ownBody('moved')),
    { kind: 'final', tookEffect: 'unknown', error: { gateway: true, code: 'http_305' } },
  ],
  ['503 closes no surface', failed(503, ownBody('x'), { 'retry-after': '7' }), { refusedForMs: undefined }],
  ['404 names no scopes', failed(404, ownBody('not_found')), { error: without('requiredScopes') }],
  [
    '500 of a write not sent is not applied',
    failureOf({ ...answered(500, ownBody('x')), ...notSent }, mentionsSetState),
    { tookEffect: 'no' },
  ],
  [
    'a proxy says what it cost, in its own words of one line',
    failed(500, wordy, ofProxy),
    {
      ...{ kind: 'final', tookEffect: 'yes', wait: null, error: { message: inOneLine } },
      credits: { spent: 2, uncertain: 0, charged: 'yes' },
    },
  ],
  ['only a proxy names credits', failed(500, '', ofProxy), { tookEffect: 'unknown', credits: undefined }],
  ['403 of a proxy names no scopes', failed(403, byProxy('forbidden')), { error: without('requiredScopes') }],
  [
    'a proxy cannot charge what was not sent',
    failureOf({ ...answered(500, byProxy('x', { charged: 'yes' })), ...notSent }),
    { tookEffect: 'no' },
  ],
  ['429 of a proxy without a time is final', failed(429, byProxy('x')), { kind: 'refused' }],
  [
    '429 of a proxy with a time of 0 is final',
    failed(429, byProxy('x', { retryAfter: 0 })),
    { kind: 'refused' },
  ],
  ['503 of a proxy with a time is final', failed(503, byProxy('x', { retryAfter: 3 })), { kind: 'refused' }],
  ['401 of a proxy refreshes', failed(401, byProxy('unauthorized')), { kind: 'unauthorized' }],
])('readAnswer(): %s', (_, failure, expected) => {
  expect(failure).toMatchObject(expected)
})

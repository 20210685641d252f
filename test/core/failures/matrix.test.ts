import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { mentionsSetState } from '../../../src/api/endpoints/mentions.ts'
import type { Effect } from '../../../src/api/operation.ts'
import * as happened from './worlds.ts'

const { aborted, answered, effects, failureOf, gateway, misused, own, refusedStreams } = happened
const { timedOut, unreadable, unsent, untrusted, verdictsOf } = happened

const statuses = [400, 403, 404, 429, 500, 502, 503, 504]
/** What happens in each row of the table in docs/errors.md. */
const worlds: Readonly<Record<string, readonly (() => happened.Happened)[]>> = {
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
  'a reset or timeout after sending': happened.lost,
  'a redirect or another 3xx': happened.redirects,
  'a response that cannot be used': [unreadable, happened.nobodys],
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

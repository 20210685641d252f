import { expect, it } from 'vitest'
import { mentionsSetState } from '../../../src/api/endpoints/mentions.ts'
import { answered, failureOf } from '../failures/worlds.ts'

const failed = (status: number, body: unknown, headers = {}): object =>
  failureOf(answered(status, body, headers))
const unsent = { sent: null }

const own = (code: string, error: object = {}) => ({ requestId: 'req_1', error: { code, ...error } })
const byProxy = (code: string, error: object = {}) => own(code, { charged: 'no', ...error })
const ofProxy = { 'social-search-credits': 'spent=2, uncertain=0, charged=yes' }
const without = (name: string): unknown =>
  expect.not.objectContaining({ [name]: expect.anything() as unknown })

const issues = [{ path: 'query', message: 'is bad' }]
const wordy = byProxy('x', { charged: 'yes', message: `a\nb${'c'.repeat(600)}` })
const inOneLine: unknown = expect.stringMatching(/^microblog.search: a bc{497}…\. Retry later\.$/)

// The fault catalogue has the usual statuses, of the service and of something in between.
it.each<[string, object, object]>([
  [
    'an opaque redirect has no status',
    failureOf(answered(0, '', {}, 'opaqueredirect')),
    { kind: 'final', wait: null, error: without('status') },
  ],
  [
    '305 with an error body does not come from the service',
    failed(305, own('moved')),
    { kind: 'final', tookEffect: 'unknown', error: { gateway: true, code: 'http_305' } },
  ],
  ['503 closes no surface', failed(503, own('x'), { 'retry-after': '7' }), { refusedForMs: undefined }],
  ['a long code is cut', failed(400, own('x'.repeat(99))), { error: { code: `${'x'.repeat(64)}…` } }],
  ['the issues are passed on', failed(400, own('x', { issues })), { error: { issues } }],
  ['404 names no scopes', failed(404, own('not_found')), { error: without('requiredScopes') }],
  [
    '500 of a write not sent is not applied',
    failureOf({ ...answered(500, own('x')), ...unsent }, mentionsSetState),
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
    failureOf({ ...answered(500, byProxy('x', { charged: 'yes' })), ...unsent }),
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
])('judge(): %s', (_, failure, expected) => {
  expect(failure).toMatchObject(expected)
})

import { expect, it } from 'vitest'
import { microblogSearch } from '../../../src/api/endpoints/microblog.ts'
import { mentionsSetState } from '../../../src/api/endpoints/mentions.ts'
import type { Operation } from '../../../src/api/operation.ts'
import { readAnswer } from '../../../src/core/call/read-answer.ts'
import { type Failed, newRecord } from '../../../src/core/call/call.ts'
import { serviceFormat } from '../../../src/core/http/answer.ts'
import type { Charged } from '../../../src/errors/index.ts'
import { Redactor } from '../../../src/lib/redactor.ts'

interface Case {
  readonly operation?: Operation
  readonly tookEffect?: Charged
  readonly headers?: Record<string, string>
  /** Of a response that `Response` cannot be made with. */
  readonly is?: { readonly status: number; readonly type?: string }
}

/** What is thought of an answer, with its error. */
const judged = ({ operation = microblogSearch, tookEffect = 'unknown' }: Case, answer: object): object => {
  const settings = { retry: { retriesUnknown: false, maxAttempts: Infinity, maxWaitMs: 60_000 } }
  const client = {
    baseUrl: 'https://api.example/v1',
    bodyFormat: serviceFormat,
    credential: { refreshable: true },
  }
  const record = newRecord(new Redactor())
  const sent = tookEffect === 'no' ? null : new Date().toISOString()
  const { status } = (answer as { response: Response }).response
  const evidence = {
    kind: 'answered',
    sent,
    duration: 1,
    phase: 'body',
    leftMs: Infinity,
    status,
    ...answer,
  }
  const verdict = readAnswer({ client, settings, operation, record } as never, evidence as never) as Failed
  return { ...verdict, error: verdict.toError({ operation: operation.id }) }
}

const failed = (status: number, body: unknown, more: Case = {}): object => {
  const response = new Response(null, { status: more.is ? 200 : status, headers: more.headers ?? {} })
  for (const [name, value] of Object.entries(more.is ?? {})) Object.defineProperty(response, name, { value })
  return judged(more, { response, text: JSON.stringify(body), complete: true })
}

const own = (code: string, error: object = {}) => ({ requestId: 'req_1', error: { code, ...error } })
const byProxy = (code: string, error: object = {}) => own(code, { charged: 'no', ...error })
const without = (name: string): unknown =>
  expect.not.objectContaining({ [name]: expect.anything() as unknown })

// Rows 26 to 131 of the fault catalogue have the usual statuses, of the service and of something in between.
it.each<[string, object, object]>([
  [
    'an opaque redirect has no status',
    failed(0, '', { is: { status: 0, type: 'opaqueredirect' } }),
    { kind: 'final', wait: null, error: without('status') },
  ],
  [
    '305 with an error body does not come from the service',
    judged(
      {},
      {
        ...{ response: Object.defineProperty(new Response(), 'status', { value: 305 }), complete: true },
        text: JSON.stringify(own('moved')),
      },
    ),
    { kind: 'final', tookEffect: 'unknown', error: { gateway: true, code: 'http_305' } },
  ],
  ['503 closes no surface', failed(503, own('x'), { headers: { 'retry-after': '7' } }), { closedMs: null }],
  [
    'a code that is long is cut, and the issues are passed on',
    failed(400, own('x'.repeat(99), { issues: [{ path: 'query', message: 'is bad' }] })),
    { error: { code: `${'x'.repeat(64)}…`, issues: [{ path: 'query', message: 'is bad' }] } },
  ],
  ['404 names no scopes', failed(404, own('not_found')), { error: without('requiredScopes') }],
  [
    '500 of a write not sent is not applied',
    failed(500, own('x'), { operation: mentionsSetState, tookEffect: 'no' }),
    { tookEffect: 'no' },
  ],
  [
    'a proxy says what it cost, in its own words of one line',
    failed(500, byProxy('x', { charged: 'yes', message: `a\nb${'c'.repeat(600)}` }), {
      headers: { 'social-search-credits': 'spent=2, uncertain=0, charged=yes' },
    }),
    {
      ...{
        kind: 'final',
        tookEffect: 'yes',
        credits: { spent: 2, uncertain: 0, charged: 'yes' },
        wait: null,
      },
      error: { message: expect.stringMatching(/^microblog.search: a bc{497}…\. Retry later\.$/) as string },
    },
  ],
  [
    'a header with credits is not read without a proxy',
    failed(500, '', { headers: { 'social-search-credits': 'spent=2, uncertain=0, charged=yes' } }),
    { tookEffect: 'unknown', credits: undefined },
  ],
  ['403 of a proxy names no scopes', failed(403, byProxy('forbidden')), { error: without('requiredScopes') }],
  [
    'a proxy cannot charge what was not sent',
    failed(500, byProxy('x', { charged: 'yes' }), { tookEffect: 'no' }),
    { tookEffect: 'no' },
  ],
  [
    '429 of a proxy that has charged is final',
    failed(429, byProxy('rate_limited', { charged: 'unknown', retryAfter: 3 })),
    { kind: 'final', wait: null },
  ],
  [
    '429 of a proxy is waited out',
    failed(429, byProxy('rate_limited', { retryAfter: 3 })),
    { kind: 'rate-limited', wait: 3000 },
  ],
  ['429 of a proxy without a time is final', failed(429, byProxy('rate_limited')), { kind: 'refused' }],
  [
    '429 of a proxy with a time of 0 is final',
    failed(429, byProxy('rate_limited', { retryAfter: 0 })),
    { kind: 'refused' },
  ],
  ['503 of a proxy with a time is final', failed(503, byProxy('x', { retryAfter: 3 })), { kind: 'refused' }],
  ['401 of a proxy refreshes', failed(401, byProxy('unauthorized')), { kind: 'unauthorized' }],
])('judge(): %s', (_, failure, expected) => {
  expect(failure).toMatchObject(expected)
})

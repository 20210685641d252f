import { type SocialSearchError, isSocialSearchError } from '../../src/index.ts'
import { settle } from '../support/clock.ts'
import { http as answer } from '../support/raw-server.ts'
import { type Step, failure, makeClient, ok, rateLimited } from '../support/service.ts'
import { type Fault, group } from './case.ts'
import { costs, ending, inVirtualTime, onWire, scripted, search, success } from './observe.ts'

const final = 'a retry would change nothing; the service does not charge for a 4xx'
const busy = 'the service did nothing, so all are retried; it does not charge for a 4xx'
const upstream = 'the service says that it did not charge, so a paid call is retried; a PATCH is not'
const away = 'the service is unavailable and did not charge, so all are retried'
const broken = 'not charged, as the service itself says; only a GET is retried, once'

/** Each status, with the service's own error body: what must happen, which error, and how often each call is sent. */
const statuses: [status: number, code: string, expected: string, error: string, ...sent: number[]][] = [
  [400, 'validation_error', final, 'ValidationError', 1, 1, 1],
  [401, 'unauthorized', `${final}, and an API key cannot be refreshed`, 'AuthenticationError', 1, 1, 1],
  [403, 'forbidden', final, 'PermissionDeniedError', 1, 1, 1],
  [404, 'not_found', final, 'NotFoundError', 1, 1, 1],
  [409, 'conflict', final, 'ApiError', 1, 1, 1],
  [422, 'unprocessable', final, 'ApiError', 1, 1, 1],
  [429, 'rate_limited', busy, 'RateLimitError', 5, 5, 5],
  [500, 'internal', broken, 'ApiError', 2, 1, 1],
  [502, 'upstream_error', upstream, 'UpstreamError', 3, 3, 1],
  [503, 'professionalnet_unavailable', away, 'ServiceUnavailableError', 3, 3, 3],
  [504, 'timeout', broken, 'ApiError', 2, 1, 1],
]

const tried = (sent: readonly number[]): string =>
  ['GET', 'POST', 'PATCH'].map((method, index) => `${method} ×${sent[index]}`).join(', ')

const answers = statuses.flatMap(
  ([status, code, expected, error, ...sent], index): Omit<Fault, 'group'>[] => {
    const foreignSent = [status === 429 || status >= 500 ? 3 : 1, 1, 1]
    return [
      {
        id: 50 + index,
        name: `${status} with the service's error body`,
        expected,
        observed: `${tried(sent)}; ${error} ${status}; POST charged no, spent 0, uncertain 0`,
        run: () =>
          onWire((socket) => {
            socket.end(answer(`${status} Error`, JSON.stringify({ requestId: 'req_1', error: { code } })))
          }),
      },
      {
        id: 61 + index,
        name: `${status} as HTML`,
        expected:
          status === 429 || status >= 500
            ? 'from a proxy, which may hide a success: only a GET is retried, and the charge is unknown'
            : 'from a proxy or a firewall, which may hide a success: the charge is unknown',
        observed: `${tried(foreignSent)}; ${error} ${status}; POST charged unknown, spent 0, uncertain 2`,
        run: () =>
          onWire((socket) => {
            socket.end(answer(`${status} Error`, '<h1>Error</h1>', { 'content-type': 'text/html' }))
          }),
      },
    ]
  },
)

/** What the error of a search says that is answered with a status and a body. */
async function errorOf(status: number, body: unknown): Promise<SocialSearchError> {
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const client = makeClient({
    fetch: () => Promise.resolve(new Response(text, { status })),
    retry: false,
  })
  const error: unknown = await client.microblog.search({ query: 'rust' }).catch((error: unknown) => error)
  if (!isSocialSearchError(error)) throw new Error('the search must fail with a typed error')
  return error
}

/** The named properties of an error, as JSON. */
async function told(status: number, body: unknown, ...names: string[]): Promise<string> {
  const error = await errorOf(status, body)
  return [error.name, ...names.map((name) => `${name} ${JSON.stringify(Reflect.get(error, name))}`)].join(
    ', ',
  )
}

const gateway = { message: 'busy' }

export const http = group('http', [
  ...answers.sort((a, b) => a.id - b.id),
  {
    id: 72,
    name: "503 as a gateway's own JSON",
    expected: "without the service's error body, the charge is unknown and a POST is not retried",
    observed: `${tried([3, 1, 1])}; ServiceUnavailableError 503; POST charged unknown, spent 0, uncertain 2`,
    run: () => onWire((socket) => void socket.end(answer('503 Busy', JSON.stringify(gateway)))),
  },
  {
    id: 73,
    name: '502 with an error code and no requestId',
    expected: "every error body of the service has a requestId, so this one is not the service's",
    observed: `${tried([3, 1, 1])}; UpstreamError 502; POST charged unknown, spent 0, uncertain 2`,
    run: () => onWire((socket) => void socket.end(answer('502 Bad', '{"error":{"code":"upstream_error"}}'))),
  },
  {
    id: 74,
    name: '502 whose error body is cut off',
    expected: 'its origin is unknown: charge unknown, POST not retried',
    observed: `${tried([3, 1, 1])}; UpstreamError 502; POST charged unknown, spent 0, uncertain 2`,
    run: () =>
      onWire((socket) => void socket.end(answer('502 Bad', '{"requestId":"r","error":{"code":"ups'))),
  },
  {
    id: 75,
    name: '400 that names the invalid fields',
    expected: 'the fields can be read from the error',
    observed: 'ValidationError, issues [{"path":"filters.lang","message":"not a language"}], requestId "r"',
    run: () => {
      const issues = [{ path: 'filters.lang', message: 'not a language' }]
      return told(400, { requestId: 'r', error: { code: 'validation_error', issues } }, 'issues', 'requestId')
    },
  },
  {
    id: 76,
    name: '400 whose issues are malformed',
    expected: 'still typed: malformed issues are dropped, the error stays',
    observed: 'ValidationError, code "validation_error", issues [{"path":"a","message":"b"}]',
    run: () => {
      const issues = [{ path: 'a', message: 'b', extra: {} }, { path: 1 }, 'x', null, [[]]]
      return told(400, { requestId: 'r', error: { code: 'validation_error', issues } }, 'code', 'issues')
    },
  },
  ...(
    [
      [77, 'empty', ''],
      [78, 'HTML', '<h1>Forbidden</h1>'],
      [79, 'an array', '[]'],
    ] as const
  ).map(([id, kind, body]) => ({
    id,
    name: `403 with ${kind === 'empty' ? 'an empty body' : kind}`,
    expected:
      'typed, with the required scopes; it may be from a firewall behind the charge, so that is unknown',
    observed: 'PermissionDeniedError, code "http_403", requiredScopes ["search:read"], charged "unknown"',
    run: () => told(403, body, 'code', 'requiredScopes', 'charged'),
  })),
  {
    id: 80,
    name: '451 with a code that is not documented',
    expected: 'status and code are kept, since a newer service may use them',
    observed: 'ApiError, status 451, code "legal_reasons", charged "no"',
    run: () => told(451, { requestId: 'r', error: { code: 'legal_reasons' } }, 'status', 'code', 'charged'),
  },
  {
    id: 81,
    name: 'an error code with line breaks, 9 kB long',
    expected: 'one short line, since logs contain it',
    observed: 'one line of 65 characters',
    run: async () => {
      const { code } = await errorOf(400, {
        requestId: 'r',
        error: { code: `a\r\nINFO b${'x'.repeat(9000)}` },
      })
      return `${/[\r\n]/.test(code) ? 'several lines' : 'one line'} of ${code.length} characters`
    },
  },
  {
    id: 82,
    name: 'an error message of 1 MB with line breaks and control characters',
    expected: 'one bounded line, since logs contain it',
    observed: 'one line of less than 1,000 characters',
    run: async () => {
      const message = `a\r\n\u001b[31mred\u2028${'x'.repeat(1e6)}`
      const error = await errorOf(400, { requestId: 'r', error: { code: 'validation_error', message } })
      const lines = /[\p{Cc}\u2028]/u.test(error.message) ? 'several lines' : 'one line'
      return `${lines} of ${error.message.length < 1000 ? 'less' : 'more'} than 1,000 characters`
    },
  },
  {
    id: 83,
    name: '502, then a page',
    expected: 'a paid search recovers, and pays once',
    observed: 'sent at 0, 250 ms; answered at 250 ms; spent 2, uncertain 0',
    run: () => search([failure(502, 'upstream_error'), ok(success)]),
  },
  {
    id: 84,
    name: '502 for ever',
    expected: 'three attempts with growing waits, then the error',
    observed: 'sent at 0, 250, 750 ms; UpstreamError 502 at 750 ms; charged no, spent 0, uncertain 0',
    run: () => search([failure(502, 'upstream_error')]),
  },
  {
    id: 85,
    name: '429 and 502 in turn, three 429s in all',
    expected: 'an announced 429 uses up no attempt of other failures',
    observed: 'sent at 0, 1000, 1250, 2250, 2750, 3750 ms; answered at 3750 ms; spent 2, uncertain 0',
    run: () => {
      const bad: Step = failure(502, 'upstream_error')
      return search([rateLimited(1), bad, rateLimited(1), bad, rateLimited(1), ok(success)])
    },
  },
  {
    id: 86,
    name: '502 with retry: false',
    expected: 'one attempt, for every failure',
    observed: 'sent at 0 ms; UpstreamError 502 at 0 ms; charged no, spent 0, uncertain 0',
    run: () => search([failure(502, 'upstream_error')], { retry: false }),
  },
  {
    id: 87,
    name: '401 for an API key, 50 calls at once',
    expected: 'each is sent once: a key cannot be refreshed, so a retry would fail, too',
    observed: '50 calls, 50 requests; AuthenticationError 401; spent 0, uncertain 0',
    run: () =>
      inVirtualTime(async () => {
        const { fetch, at } = scripted(failure(401, 'unauthorized'))
        const client = makeClient({ fetch, limits: { perMinute: false } })
        const calls = Array.from({ length: 50 }, () => client.microblog.search({ query: 'rust' }))
        const { value = [] } = await settle(Promise.allSettled(calls))
        const ends = new Set(value.map((end) => ending(end.status === 'rejected' ? end.reason : undefined)))
        return `50 calls, ${at.length} requests; ${[...ends].join(', ')}; ${costs(client, undefined)}`
      }),
  },
  {
    id: 88,
    name: '502 with an error code and an empty requestId',
    expected: "the service makes an id for each response, so this one is not the service's",
    observed: `${tried([3, 1, 1])}; UpstreamError 502; POST charged unknown, spent 0, uncertain 2`,
    run: () =>
      onWire((socket) => {
        socket.end(answer('502 Bad', '{"requestId":"","error":{"code":"upstream_error"}}'))
      }),
  },
])

import { type SocialSearchError, isSocialSearchError } from '../../src/index.ts'
import { settle } from '../support/clock.ts'
import { http as answer } from '../support/raw-server.ts'
import { type Step, failure, makeClient, ok, rateLimited } from '../support/service.ts'
import { type Faults } from './case.ts'
import { costs, ending, inVirtualTime, onFetch, onWire, scripted, search, success } from './observe.ts'

/** Each status with a code of the service. */
const statuses = Object.entries({
  400: 'validation_error',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not_found',
  409: 'conflict',
  422: 'unprocessable',
  429: 'rate_limited',
  500: 'internal',
  502: 'upstream_error',
  503: 'professionalnet_unavailable',
  504: 'timeout',
})

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

const forbidden = (body: string) => told(403, body, 'code', 'requiredScopes', 'charged')
const gateway = { message: 'busy' }

export const http: Faults = {
  ...Object.fromEntries(
    statuses.map(([status, code]) => [
      `${status} with the service's error body`,
      () => onFetch(() => Promise.resolve(failure(Number(status), code))),
    ]),
  ),
  ...Object.fromEntries(
    statuses.map(([status]) => [
      `${status} as HTML`,
      () => onFetch(() => Promise.resolve(new Response('<h1>Error</h1>', { status: Number(status) }))),
    ]),
  ),
  "503 as a gateway's own JSON": () => onWire(answer('503 Busy', JSON.stringify(gateway))),
  '502 with an error code and no requestId': () =>
    onWire(answer('502 Bad', '{"error":{"code":"upstream_error"}}')),
  '502 whose error body is cut off': () => onWire(answer('502 Bad', '{"requestId":"r","error":{"code":"ups')),
  '400 that names the invalid fields': () => {
    const issues = [{ path: 'filters.lang', message: 'not a language' }]
    return told(400, { requestId: 'r', error: { code: 'validation_error', issues } }, 'issues', 'requestId')
  },
  '400 whose issues are malformed': () => {
    const issues = [{ path: 'a', message: 'b', extra: {} }, { path: 1 }, 'x', null, [[]]]
    return told(400, { requestId: 'r', error: { code: 'validation_error', issues } }, 'code', 'issues')
  },
  '403 with an empty body': () => forbidden(''),
  '403 with HTML': () => forbidden('<h1>Forbidden</h1>'),
  '403 with an array': () => forbidden('[]'),
  '451 with a code that is not documented': () =>
    told(451, { requestId: 'r', error: { code: 'legal_reasons' } }, 'status', 'code', 'charged'),
  'an error code with line breaks, 9 kB long': async () => {
    const { code } = await errorOf(400, {
      requestId: 'r',
      error: { code: `a\r\nINFO b${'x'.repeat(9000)}` },
    })
    return `${/[\r\n]/.test(code) ? 'several lines' : 'one line'} of ${code.length} characters`
  },
  'an error message of 1 MB with line breaks and control characters': async () => {
    const message = `a\r\n\u001b[31mred\u2028${'x'.repeat(1e6)}`
    const error = await errorOf(400, { requestId: 'r', error: { code: 'validation_error', message } })
    const lines = /[\p{Cc}\u2028]/u.test(error.message) ? 'several lines' : 'one line'
    return `${lines} of ${error.message.length < 1000 ? 'less' : 'more'} than 1,000 characters`
  },
  '502, then a page': () => search([failure(502, 'upstream_error'), ok(success)]),
  '502 for ever': () => search([failure(502, 'upstream_error')]),
  '429 and 502 in turn, three 429s in all': () => {
    const bad: Step = failure(502, 'upstream_error')
    return search([rateLimited(1), bad, rateLimited(1), bad, rateLimited(1), ok(success)])
  },
  '502 with retry: false': () => search([failure(502, 'upstream_error')], { retry: false }),
  '401 for an API key, 50 calls at once': () =>
    inVirtualTime(async () => {
      const { fetch, at } = scripted(failure(401, 'unauthorized'))
      const client = makeClient({ fetch, limits: { perMinute: false } })
      const calls = Array.from({ length: 50 }, () => client.microblog.search({ query: 'rust' }))
      const { value = [] } = await settle(Promise.allSettled(calls))
      const ends = new Set(value.map((end) => ending(end.status === 'rejected' ? end.reason : undefined)))
      return `50 calls, ${at.length} requests; ${[...ends].join(', ')}; ${costs(client, undefined)}`
    }),
  '502 with an error code and an empty requestId': () =>
    onWire(answer('502 Bad', '{"requestId":"","error":{"code":"upstream_error"}}')),
  '502 with a requestId and an empty code': () =>
    onWire(answer('502 Bad', '{"requestId":"r","error":{"code":""}}')),
}

import { vi } from 'vitest'
import { CreditBudget } from '../../src/index.ts'
import { comments, post } from '../support/pages.ts'
import { http as answer } from '../support/raw-server.ts'
import { type Step, apiKey, failure, hang, ok, rateLimited, slow } from '../support/service.ts'
import { type End, type Faults, body, fields, kept, onFetch, onWire, success, told } from './observe.ts'

const page = ok(success)
const lost = () => Promise.reject(new TypeError('Failed to fetch'))

/** Statuses whose meaning depends on who answers; `docs/errors.md` has all, and a test of the judgement compares it. */
const answers: [name: string, () => Response][] = [
  ...[401, 429, 500, 502, 503].map((status): [string, () => Response] => [
    `${status} with the service's error body`,
    () => failure(status, 'its_code'),
  ]),
  ...[403, 429, 502].map((status): [string, () => Response] => [
    `${status} as HTML`,
    () => new Response('<h1>Error</h1>', { status }),
  ]),
]

const refused =
  (status: number, code: string, details?: Parameters<typeof failure>[2]) => (tells: string[]) =>
    told([failure(status, code, details)], { tells: fields(...tells) })
const invalid = (issues: unknown[]) => refused(400, 'validation_error', { error: { issues } })
const named = [{ path: 'filters.lang', message: 'not a language' }]
const malformed = [{ path: 'a', message: 'b', extra: {} }, { path: 1 }, 'x', null, [[]]]

/** Whether a text of an error is one short line. */
const lineOf = (name: 'code' | 'message', pattern: RegExp, most: number) => (end: End) => {
  const text = Reflect.get(end.error as object, name) as string
  return `${name} ${pattern.test(text) ? 'of several lines' : 'of one line'}, ${text.length < most ? 'short' : 'long'}`
}

export const http: Faults = {
  ...Object.fromEntries(answers.map(([name, make]) => [name, () => onFetch(() => Promise.resolve(make()))])),
  "503 as a gateway's own JSON": () => onWire(answer('503 Busy', '{"message":"busy"}')),
  '502 with an error code and no requestId': () =>
    onWire(answer('502 Bad', '{"error":{"code":"upstream_error"}}')),
  '502 whose error body is cut off': () => onWire(answer('502 Bad', '{"requestId":"r","error":{"code":"ups')),
  '502 with an error code and an empty requestId': () =>
    onWire(answer('502 Bad', '{"requestId":"","error":{"code":"upstream_error"}}')),
  '502 with a requestId and an empty code': () =>
    onWire(answer('502 Bad', '{"requestId":"r","error":{"code":""}}')),
  '400 that names the invalid fields': () => invalid(named)(['issues', 'requestId']),
  '400 whose issues are malformed': () => invalid(malformed)(['code', 'issues']),
  '451 with a code that is not documented': () => refused(451, 'legal_reasons')(['code']),
  'an error code with line breaks, 9 kB long': () =>
    told([failure(400, `a\r\nINFO b${'x'.repeat(9000)}`)], { tells: lineOf('code', /[\r\n]/, 66) }),
  'an error message of 1 MB with line breaks and control characters': () => {
    const message = `a\r\n\u001b[31mred\u2028${'x'.repeat(1e6)}`
    return told([failure(400, 'validation_error', { error: { message } })], {
      tells: lineOf('message', /[\p{Cc}\u2028]/u, 1000),
    })
  },
  '502, then a page': () => told([failure(502, 'upstream_error'), page]),
  '502 for ever': () => told([failure(502, 'upstream_error')]),
  '429 and 502 in turn, three 429s in all': () => {
    const bad: Step = failure(502, 'upstream_error')
    return told([rateLimited(1), bad, rateLimited(1), bad, rateLimited(1), page])
  },
  '502 with retry: false': () => told([failure(502, 'upstream_error')], { options: { retry: false } }),
}

/** A 429 with a header. */
const limited = (header: string): Response =>
  failure(429, 'rate_limited', { headers: { 'retry-after': header } })

/** What a 429 announces before a page follows. How it is read, a test of `announcedWait()` has in full. */
const announced: [name: string, answer: Response][] = [
  ['2 in header and body', rateLimited(2)],
  ['nothing', failure(429, 'rate_limited')],
  ['0', limited('0')],
]
const unavailable = (details: Parameters<typeof failure>[2]) =>
  failure(503, 'professionalnet_unavailable', details)

export const retryAfter: Faults = {
  ...Object.fromEntries(
    announced.map(([name, answer]) => [`429 that announces ${name}`, () => told([answer, page])]),
  ),
  '503 with retryAfter under error': () => told([unavailable({ error: { retryAfter: 7 } }), page]),
  '503 with retryAfter at the top level': () => told([unavailable({ top: { retryAfter: 7 } }), page]),
  '503 with a Retry-After header': () => told([unavailable({ headers: { 'retry-after': '2' } }), page]),
  '429 that announces 61 s': () => told([rateLimited(61), page]),
  '429 that announces 40 days, with the longest possible maxWait': () =>
    told([rateLimited(40 * 86_400), page], { options: { retry: { maxWait: 2 ** 31 - 1 } } }),
  '429 that announces 10 s, with a deadline of 5 s': () =>
    told([rateLimited(10), page], { options: { deadline: 5000 } }),
}

const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`

/** Whether any value has inherited what a payload tried to plant. */
const pollution = (...values: unknown[]): string =>
  values.some((value) => (value as { polluted?: unknown } | undefined)?.polluted !== undefined)
    ? 'polluted'
    : 'nothing polluted'
const planted = '{"__proto__":{"polluted":true},'
const tellsPollution = ({ value }: End) => pollution(value, {}, [], () => {})

export const payload: Faults = {
  'JSON that breaks off: the body of the error': () => kept('{"requestId":"r","posts":[{"id"'),
  'JSON nested 100,000 deep': () => {
    const tells = ({ error }: End) =>
      `body ${Array.isArray(Reflect.get(error as object, 'body')) ? 'kept' : 'lost'}`
    return told([ok(deep)], { tells })
  },
  'a page with a further field nested 100,000 deep': () => told([ok(`{"further":${deep},${body.slice(1)}`)]),
  'an error body nested 100,000 deep': () => told([() => new Response(deep, { status: 502 })]),
  '`__proto__` in a page': () => told([ok(`${planted}${body.slice(1)}`)], { tells: tellsPollution }),
  '`__proto__` in a body that is not checked': () =>
    told([ok(`${planted}"comments":[],"meta":{"creditsCharged":0}}`)], {
      call: ({ professionalnet }) => professionalnet.posts.comments({ postUrl: 'x' }, { validation: 'off' }),
      tells: tellsPollution,
    }),
  '`__proto__` with the key, in the body of an error': () => {
    const text = `{"__proto__":{"polluted":"${apiKey}"},"a":{"__proto__":"${apiKey}"},"requestId":"r"}`
    const tells = ({ error }: End): string => {
      const { body } = error as { body: { a: unknown } }
      const isAbsent = !JSON.stringify(body).includes(apiKey)
      return `${pollution(body, body.a, {}, [])}, the key ${isAbsent ? 'absent' : 'present'}`
    }
    return told([ok(text)], { tells })
  },
  '`constructor.prototype` in a page': () =>
    told([ok(`{"constructor":{"prototype":{"polluted":true}},${body.slice(1)}`)], { tells: tellsPollution }),
}

/** A request id that a search was answered with, as it is handed on. */
const idOf = (requestId: unknown): Promise<string> =>
  told([ok({ ...success, requestId })], {
    call: ({ microblog }) => microblog.search({ query: 'rust' }).withResponse(),
    tells: ({ value }) => {
      const { requestId } = (value ?? {}) as { requestId?: string }
      if (requestId === undefined) return 'requestId absent'
      const printable = /^[\x21-\x7e]+$/.test(requestId) ? 'one printable word' : 'not printable'
      return `requestId ${printable} of ${requestId.length} characters`
    },
  })

/** Comments whose meta says that they cost so much. */
const commentsFor = (creditsCharged: unknown): Promise<string> =>
  told([ok(comments(1, creditsCharged))], {
    call: ({ professionalnet }) => professionalnet.posts.comments({ postUrl: 'https://x.example/1' }),
  })

export const shape: Faults = {
  'a new value of a documented list': () => refused(418, 'brewing')(['code']),
  'a post of another shape': () => kept(JSON.stringify({ ...success, posts: [{ ...post('1'), id: 1 }] })),
  'JSON that is null': () => kept('null'),
  'JSON that is 5': () => kept('5'),
  'JSON that is "abc"': () => kept('"abc"'),
  'JSON that is [1]': () => kept('[1]'),
  'a page without requestId': () => kept(JSON.stringify({ ...success, requestId: undefined })),
  'a requestId that is a number': () => idOf(5),
  'a requestId of 1 MB': () => idOf('x'.repeat(2 ** 20)),
  'a requestId with line breaks and terminal codes': () => idOf('req_1\r\n\u001b[31mé\u2028'),
  'a creditsCharged that is negative': () => commentsFor(-1),
  'a creditsCharged that is a fraction': () => commentsFor(1.5),
  'a creditsCharged that is a string': () => commentsFor('3'),
  'a creditsCharged that is null': () => commentsFor(null),
  'a creditsCharged that is too large for a number': () => commentsFor(1e300),
}

/** Waits 20 s after an answer, while the wall clock is set. */
const jump = (answer: Response, ms: number): Promise<string> =>
  told([
    () => {
      setTimeout(() => vi.setSystemTime(Date.now() + ms), 5000)
      return answer.clone()
    },
    page,
  ])

/** Waits 20 s with timers that fire after nine tenths of their time. */
const early = (answer: Response): Promise<string> =>
  told([
    () => {
      const honest = globalThis.setTimeout
      vi.stubGlobal('setTimeout', (run: () => void, ms = 0) => honest(run, Math.max(1, ms * 0.9)))
      return answer.clone()
    },
    page,
  ])

const after20 = unavailable({ error: { retryAfter: 20 } })

export const time: Faults = {
  'the wall clock jumps an hour ahead in the wait after a 429': () => jump(rateLimited(20), 3_600_000),
  'the wall clock jumps an hour ahead in the wait after a 503': () => jump(after20, 3_600_000),
  'the wall clock jumps an hour back in the wait after a 429': () => jump(rateLimited(20), -3_600_000),
  'the wall clock jumps an hour back in the wait after a 503': () => jump(after20, -3_600_000),
  'timers fire early in the wait after a 429': () => early(rateLimited(20)),
  'timers fire early in the wait after a 503': () => early(after20),
  'the machine sleeps for an hour while 45 calls are queued': () => {
    const sleep = (): void => {
      const awake = performance.now.bind(performance)
      vi.spyOn(performance, 'now').mockImplementation(() => awake() + 3_600_000)
    }
    return told([page], {
      call: ({ microblog }) => {
        setTimeout(sleep, 30_000)
        return Promise.all(Array.from({ length: 45 }, () => microblog.search({ query: 'rust' })))
      },
      tells: ({ at }) => `at most ${mostInAMinute(at)} in any minute`,
    })
  },
  'headers after 4 s, a body that stalls, and a timeout of 5 s': () =>
    told([slow(4000, () => new Response(new ReadableStream()))], { options: { timeout: 5000 } }),
  'no response to an operation with a recommended timeout of 90 s': () =>
    told([hang], {
      call: ({ professionalnet }) => professionalnet.company.get({ url: 'https://x.example' }),
    }),
  'a 502, then no response, with a deadline of 8 s': () =>
    told([failure(502, 'upstream_error'), hang], { options: { deadline: 8000 } }),
}

/** Most sends in any 60 s. */
function mostInAMinute(at: readonly number[]): number {
  return Math.max(...at.map((start) => at.filter((time) => time >= start && time < start + 60_000).length))
}

export const billing: Faults = {
  'comments with a lost response': () =>
    told([lost], {
      call: ({ professionalnet }) =>
        professionalnet.posts.comments({ postUrl: 'https://network.example/posts/1', maxComments: 300 }),
    }),
  'a reset after processing, with retry: { unknown: true }': () =>
    told([lost, page], { options: { retry: { unknown: true } } }),
  'a retry after an unknown charge that the budget cannot cover': () =>
    told([lost, page], { options: { retry: { unknown: true }, budget: new CreditBudget(3) } }),
}

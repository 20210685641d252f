import type { ClientErrorCode } from '../../src/errors/index.ts'
import { codeOfStatus } from '../../src/api/error-envelope.ts'
import * as words from '../../src/errors/words.ts'

/** Codes of the client, and statuses of the service, that have sentences. */
export type SaidCode = ClientErrorCode | number | 'others'

/** What puts a message together, in place of saying what happened. */
type Frame = 'fullMessage' | 'costText' | 'whatToDo' | 'isPage' | 'notSent'

type Said = readonly [code: SaidCode, ...sentences: string[]]

const budget = { budget: 'the `budget`', option: (name: string): string => `\`${name}\`` }
const low = { needed: 4, remaining: 2 }

/** Every sentence about a failed call, with facts for example. */
export const sentences: Readonly<Record<Exclude<keyof typeof words, Frame>, Said>> = {
  invalidRequest: [
    'invalid_request',
    words.invalidRequest([{ path: 'count', message: 'must be at most 20, got 21' }], 'params', undefined),
    words.invalidRequest([{ path: 'near', message: 'is not a known property' }], 'params', 'extraParams'),
  ],
  failedHeaders: ['configuration', words.failedHeaders('no signature')],
  budgetTooLow: [
    'credit_budget',
    words.budgetTooLow(low, budget),
    words.budgetTooLow({ ...low, reserved: 2 }, budget),
    words.budgetTooLow({ needed: 100, remaining: 9, bound: { param: 'maxComments', least: 100 } }, budget),
    words.budgetTooLow({ needed: 1000, remaining: 9, bound: null }, budget),
  ],
  budgetUnavailable: [
    'budget_unavailable',
    words.budgetUnavailable('the store has lost a part of what was spent; use another budget', false),
    words.budgetUnavailable('connect ECONNREFUSED', true),
  ],
  clientClosed: ['closed', words.clientClosed('client'), words.clientClosed('limiter')],
  notCached: ['not_cached', words.notCached(false), words.notCached(true)],
  mustAuthorize: [
    'reauthorization_required',
    ...(['no_tokens', 'no_refresh_token', 'refused', 'lost'] as const).map((why) => words.mustAuthorize(why)),
  ],
  limitReached: [429, words.limitReached],
  noAnswerOf: [
    'timeout',
    words.noAnswerOf('no token', 60_000),
    words.noAnswerOf('no answer of a budget', 60_000),
  ],
  timePassed: [
    'timeout',
    words.timePassed('timeout', 30_000, 'headers'),
    ...(['queue', 'connect', 'headers', 'body', 'wait'] as const).map((phase) =>
      words.timePassed('deadline', 5000, phase),
    ),
    words.timePassed('maxQueueWait', 5000, 'queue'),
  ],
  connectionFailed: [
    'connection',
    words.connectionFailed('connect', 'api.example.com', 'ECONNREFUSED', false, false),
    words.connectionFailed('tls', 'api.example.com', 'CERT_HAS_EXPIRED', false, false),
    words.connectionFailed('exchange', 'api.example.com', 'ECONNRESET', false, false),
    words.connectionFailed('exchange', 'api.example.com', 'Failed to fetch', false, true),
    words.connectionFailed('exchange', 'api.example.com', 'NGHTTP2_REFUSED_STREAM', true, false),
  ],
  unreadable: ['connection', words.unreadable('the body is locked')],
  redirected: ['redirect', words.redirected],
  serviceAnswered: ['others', words.serviceAnswered(500, 'internal_error', 'try again')],
  gatewayAnswered: ['others', words.gatewayAnswered(504, 'text/html: Gateway timeout')],
  lacksVersion: [404, `${words.serviceAnswered(404, '', '')}; ${words.lacksVersion}`],
  tooLarge: ['invalid_response', words.tooLarge(67_108_864)],
  partial: ['invalid_response', words.partial],
  empty: ['invalid_response', words.empty(200)],
  notJson: ['invalid_response', words.notJson(200, 'text/html: Welcome')],
  wrongShape: ['invalid_response', `${words.wrongShape}: posts must be an array, got null`],
  wrongSchema: ['invalid_response', `${words.wrongSchema()}: posts.0.id must be a number`],
  slowSchema: ['invalid_response', words.slowSchema(60_000)],
  checkedTooLate: ['invalid_response', words.checkedTooLate],
  wrongPage: ['pagination', words.wrongPage(3, '2')],
  samePage: ['pagination', words.samePage],
  pageLoop: ['pagination', words.pageLoop],
  noCursor: ['pagination', words.noCursor],
  noHasMore: ['pagination', words.noHasMore('meta.total')],
  wrongNext: ['pagination', words.wrongNext],
}

/** The sentences of a code of the client, or of a status. */
export function sentencesOf(code: SaidCode): string[] {
  const own = Object.values(sentences).flatMap(([each, ...said]) => (each === code ? said : []))
  return typeof code === 'number' ? [words.serviceAnswered(code, codeOfStatus(code), ''), ...own] : own
}

/** Whole messages, with what a call cost. */
export const messages: readonly string[] = [
  words.fullMessage(
    words.notSent(
      words.invalidRequest([{ path: 'count', message: 'must be at most 20, got 21' }], '', undefined),
    ),
    {
      ...{ operation: 'microblog.search', charged: 'no', credits: { spent: 0, uncertain: 0 } },
    },
  ),
  words.fullMessage(words.serviceAnswered(429, 'rate_limited', ''), {
    ...{ operation: 'microblog.search', charged: 'no', credits: { spent: 0, uncertain: 0 }, retryAfter: 90 },
  }),
  words.fullMessage(words.connectionFailed('exchange', '', 'ECONNRESET', false, false), {
    ...{ operation: 'microblog.search', charged: 'unknown', credits: { spent: 0, uncertain: 2 } },
  }),
  words.fullMessage(words.notJson(200, 'text/html: Welcome'), {
    ...{
      operation: 'microblog.search',
      charged: 'unknown',
      credits: { spent: 0, uncertain: 2 },
      body: '<html>',
    },
  }),
  words.fullMessage(words.wrongShape, {
    ...{
      operation: 'microblog.search',
      charged: 'yes',
      credits: { spent: 2, uncertain: 2 },
      body: 'the text',
    },
  }),
  words.fullMessage(words.serviceAnswered(500, '', ''), {
    ...{
      operation: 'mentions.setState',
      charged: 'no',
      applied: 'unknown',
      credits: { spent: 0, uncertain: 0 },
    },
  }),
]

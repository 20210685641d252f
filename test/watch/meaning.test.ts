import { expect, it } from 'vitest'
import { meaningOf } from '../../src/extensions/watch/run.ts'
import {
  ApiError,
  AuthenticationError,
  BudgetUnavailableError,
  ClosedError,
  ConfigurationError,
  ConnectionError,
  CreditBudgetError,
  InvalidRequestError,
  OAuthError,
  PermissionDeniedError,
  RateLimitError,
  ReauthorizationRequiredError,
  TimeoutError,
  TokenStoreError,
  UpstreamError,
} from '../../src/errors/index.ts'

const answer = (status: number, code: string, charged = 'no') =>
  ({ status, code, message: code, charged }) as never
const oauth = (reason: string, status?: number) =>
  new OAuthError(reason, { step: 'refresh', reason, processed: 'no', status })

it.each([
  ['end', 'a bug', new TypeError('x is undefined')],
  ['end', 'what is no error', 'stopped'],
  ['end', 'a closed client', new ClosedError()],
  ['end', 'an option', new ConfigurationError('invalid')],
  ['end', 'params', new InvalidRequestError([])],
  ['end', 'a refused key', new AuthenticationError(answer(401, 'unauthorized'))],
  ['end', 'a key that a proxy refuses', new AuthenticationError(answer(401, '', 'unknown'))],
  ['end', 'a missing scope', new PermissionDeniedError(answer(403, 'forbidden'))],
  ['end', 'a login to repeat', new ReauthorizationRequiredError('refused')],
  ['end', 'a client that the OAuth server refuses', oauth('invalid_client', 401)],
  ['end', 'an empty budget', new CreditBudgetError({ needed: 2, remaining: 0, refusedBy: {} })],
  ['search', 'the empty budget of a proxy', new CreditBudgetError({ needed: 2, remaining: 0 })],
  ['end', 'a budget that has lost what was spent', new BudgetUnavailableError('lost')],
  [
    'unavailable',
    'a budget whose store does not answer',
    new BudgetUnavailableError('busy', { temporary: true }),
  ],
  ['unavailable', 'a token store', new TokenStoreError('no connection')],
  ['unavailable', 'an OAuth server that nobody reaches', oauth('unreachable')],
  ['unavailable', 'an OAuth server with too many requests', oauth('slow_down', 429)],
  ['unavailable', 'an OAuth server that fails', oauth('server_error', 503)],
  ['search', 'a lost connection', new ConnectionError('cut', { phase: 'exchange', reason: 'ECONNRESET' })],
  ['search', 'a timeout', new TimeoutError('late', { phase: 'headers' })],
  ['search', 'a rate limit', new RateLimitError(answer(429, 'rate_limited'))],
  ['search', 'a provider that fails', new UpstreamError(answer(502, 'upstream_error'))],
  ['search', 'another status', new ApiError(answer(418, 'teapot'))],
  ['search', 'a firewall', new PermissionDeniedError(answer(403, 'forbidden', 'unknown'))],
])("meaningOf() is '%s' for %s", (meaning, _, error) => {
  expect(meaningOf(error)).toBe(meaning)
})

import type { ServiceErrorCode } from '../../api/error-envelope.ts'
import { cut, maxMessageLength } from '../../api/issues.ts'
import type { Operation } from '../../api/operation.ts'
import type { Redactor } from '../../lib/redactor.ts'
import type { ErrorBody } from '../http/body-format.ts'

/** Longest code that an error repeats, in characters: it ends up in logs. */
export const maxCodeLength = 64

export function printable(text: string, maxLength: number): string {
  return cut(text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' '), maxLength)
}

/**
 * What the documented codes mean, and statuses without such a code. The command, tools and apps show the message of an error as
 * it is.
 */
const meanings: Readonly<Record<ServiceErrorCode | 403 | 404, string>> = {
  validation_error: 'the service refused the request',
  unauthorized: 'the service refused the credential',
  rate_limited: 'rate limit reached',
  upstream_error: 'the search provider is not answering',
  // A gateway may answer so to any call.
  professionalnet_unavailable: 'temporarily unavailable',
  403: 'not permitted',
  404: 'not found',
}

/**
 * The message of an error status.
 *
 * @param told The error body of the service, or what another server sent.
 */
export function describeError(
  { pathId, scopes }: Operation,
  baseUrl: string,
  status: number,
  told: ErrorBody | string,
  announced: number | null,
): string {
  const errorBody: ErrorBody = typeof told === 'string' ? {} : told
  const { message = '', issues: [issue] = [] } = errorBody
  const parts =
    typeof told === 'string'
      ? [`the answer ${status} is not the service's own (${told})`]
      : [describeOwn(status, errorBody)]
  // A path without an id always exists, so the address must be wrong.
  if (status === 404 && pathId === undefined && !baseUrl.endsWith('/v1'))
    parts.push('check baseUrl: it lacks /v1')
  if (issue && errorBody.message === undefined) parts.push(`${issue.path} ${issue.message}`)
  const isExplained = scopes.some((scope) => message.includes(scope))
  if (status === 403 && scopes.length > 0 && !isExplained) {
    parts.push(`the credential lacks ${scopes.join(' or ')}, or its owner the permission`)
  }
  if (announced !== null) parts.push(`retry in ${Math.ceil(announced / 1000)} s`)
  return parts.join('; ')
}

function describeOwn(status: number, { code = '', message = '' }: ErrorBody): string {
  const key = [code, status].find((each) => Object.hasOwn(meanings, each))
  const meaning = key && meanings[key as ServiceErrorCode]
  const what = meaning === undefined ? `the service answered ${status}` : `${meaning} (${status})`
  const said = message || (meaning === undefined ? code : '')
  return said === '' ? what : `${what}: ${printable(said, maxMessageLength)}`
}

/** The type of a body that is not the service's, and the first words of a page. Other bodies may hold paid data. */
export function describeGatewayBody({ headers }: Response, text: string, redactor: Redactor): string {
  const page = /^\s*</.test(text) ? `: ${text}` : ''
  // Redacted first: half a secret would not be recognized.
  const start = redactor.text(`${headers.get('content-type') ?? 'no type'}${page}`).slice(0, 1000)
  return start
    .replaceAll(/(<[^>]*>|[\p{C}\s])+/gu, ' ')
    .slice(0, 120)
    .trim()
}

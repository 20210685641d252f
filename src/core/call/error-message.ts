import { cut, maxMessageLength } from '../../api/issues.ts'
import type { Operation } from '../../api/operation.ts'
import type { Redactor } from '../../lib/redact.ts'
import type { ErrorBody } from '../http/dialect.ts'

/** Longest code that an error repeats, in characters: it ends up in logs. */
export const maxCodeLength = 64

/** One line of text, of bounded length. */
export function printable(text: string, maxLength: number): string {
  return cut(text.replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' '), maxLength)
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
  const { code = '', message = '', issues: [issue] = [] } = errorBody
  const said = [code, message]
    .filter((text) => text !== '')
    .map((text) => printable(text, maxMessageLength))
    .join(': ')
  const parts = [
    `the service answered ${status}`,
    typeof told === 'string' ? `without its own error body (${told})` : said,
  ]
  // Without an id, the path exists, unless the address is wrong.
  if (status === 404 && pathId === undefined && !baseUrl.endsWith('/v1'))
    parts.push('check baseUrl: it lacks /v1')
  if (issue && errorBody.message === undefined) parts.push(`${issue.path} ${issue.message}`)
  if (announced !== null) parts.push(`retry after ${announced / 1000} s`)
  const isExplained = scopes.some((scope) => message.includes(scope))
  if (status === 403 && scopes.length > 0 && !isExplained) {
    parts.push(`the credential lacks ${scopes.join(' or ')}, or the member behind it lost the permission`)
  }
  return parts.join('; ')
}

/** The type of a body that is not the service's, and the first words of a page. Other bodies may hold paid data. */
export function describeForeign({ headers }: Response, text: string, redactor: Redactor): string {
  const page = /^\s*</.test(text) ? `: ${text}` : ''
  // Redacted first: half a secret would not be recognized.
  const start = redactor.text(`${headers.get('content-type') ?? 'no type'}${page}`).slice(0, 1000)
  return start
    .replaceAll(/(<[^>]*>|[\p{C}\s])+/gu, ' ')
    .slice(0, 120)
    .trim()
}

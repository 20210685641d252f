import type { Redactor } from '../../lib/redactor.ts'

/** Longest request id that is kept, in characters: ids end up in logs. */
const maxLength = 128

/** The request id of a body, redacted and printable; undefined if it is missing. */
export function requestIdOf(body: unknown, redactor: Redactor): string | undefined {
  const requestId = (body as { requestId?: unknown } | null | undefined)?.requestId
  if (typeof requestId !== 'string') return undefined
  if (/^[\x21-\x7e]{1,128}$/.test(requestId)) return requestId
  // Without the removed characters, two parts may have become a secret.
  return redactor.text(requestId.replaceAll(/[^\x21-\x7e]/g, '')).slice(0, maxLength) || undefined
}

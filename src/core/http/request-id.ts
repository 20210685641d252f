import type { Redactor } from '../lib/redact.ts'

/** Longest id that is repeated; the documented ones are short, and an id ends up in logs. */
const maxLength = 128

/** The request id of a body, safe to print; undefined where there is none. */
export function requestIdOf(body: unknown, redactor: Redactor): string | undefined {
  const requestId = (body as { requestId?: unknown } | null | undefined)?.requestId
  if (typeof requestId !== 'string') return undefined
  // Cleaned first: what separates the parts of a secret may be just what cleaning removes.
  return redactor.text(requestId.replaceAll(/[^\x21-\x7e]/g, '')).slice(0, maxLength) || undefined
}

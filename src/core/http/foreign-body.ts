import type { Redactor } from '../../lib/redact.ts'

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

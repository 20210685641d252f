import { invalid } from './responses.ts'

/*
 * Params of requests whose shape the service does not document, from a body or a query. What is made up for them ignores a
 * value that does not fit.
 */

export function textIn(input: unknown, name: string): string | undefined {
  const value = (input as Readonly<Record<string, unknown>>)[name]
  return typeof value === 'string' ? value : undefined
}

/** @throws {SandboxError} if it is missing. */
export function requiredText(input: unknown, name: string): string {
  const text = textIn(input, name)
  if (text) return text
  throw invalid([{ path: name, message: 'is required' }])
}

/** The cursor and the size of a page. From a query, `count` comes as digits. */
export function pageIn(input: unknown, max: number, usual = max) {
  const count = Number((input as { readonly count?: unknown }).count ?? usual)
  return {
    cursor: textIn(input, 'cursor'),
    count: Number.isInteger(count) && count >= 1 ? Math.min(count, max) : usual,
  }
}

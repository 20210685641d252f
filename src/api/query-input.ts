import type { Operation } from './operation.ts'

/**
 * Reads the input of a GET from the query of its URL. A repeated parameter becomes a list. Only the page number is
 * documented as a number.
 */
export function inputOf(query: string, { paging }: Operation): Record<string, unknown> {
  const valuesOf = new Map<string, string[]>()
  for (const [name, value] of new URLSearchParams(query)) {
    const values = valuesOf.get(name)
    if (values === undefined) valuesOf.set(name, [value])
    else values.push(value)
  }
  const input: Record<string, unknown> = Object.fromEntries(
    Array.from(valuesOf, ([name, values]) => [name, values.length === 1 ? values[0] : values]),
  )
  if (paging !== undefined && paging.kind !== 'cursor') {
    const page = input[paging.param]
    if (typeof page === 'string' && /^-?\d{1,15}$/.test(page)) input[paging.param] = Number(page)
  }
  return input
}

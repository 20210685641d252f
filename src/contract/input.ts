import type { Operation } from './operation.ts'

/**
 * Reads the input of a GET from the query of its URL. A parameter that is given more than once becomes a list. The
 * number of a page is the one documented parameter that is not a text.
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

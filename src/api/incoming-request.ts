import type { Operation } from './operation.ts'

/**
 * Finds the operations at a path, one for each method. A literal path such as `/mentions/count` wins over one with an id in
 * that position. `id` is the one in the path, or empty.
 */
export function matchPath<Route extends { readonly path: string }>(path: string, routes: readonly Route[]) {
  const literal = routes.filter((route) => route.path === path)
  if (literal.length > 0) return { routes: literal, id: '' }

  const found = routes.flatMap((route) => {
    const id = idIn(path, route.path)
    return id === null ? [] : [{ route, id }]
  })
  return { routes: found.map(({ route }) => route), id: found[0]?.id ?? '' }
}

/** The percent-decoded id in a path, or null if the path does not match the template. */
function idIn(path: string, template: string): string | null {
  const [before, after] = template.split(/\{\w+\}/)
  if (before === undefined || after === undefined) return null
  if (!path.startsWith(before) || !path.endsWith(after)) return null
  const id = path.slice(before.length, path.length - after.length)
  if (id === '' || id.includes('/')) return null
  try {
    return decodeURIComponent(id)
  } catch {
    return null
  }
}

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

/** What is at a path, one for each method, and the id in the path; empty where it has none. */
export interface Match<Route> {
  readonly routes: readonly Route[]
  readonly id: string
}

/** Finds what is at a path. A path spelt out, such as `/mentions/count`, wins over one that takes an id there. */
export function matchPath<Route extends { readonly path: string }>(
  path: string,
  routes: readonly Route[],
): Match<Route> {
  const literal = routes.filter((route) => route.path === path)
  if (literal.length > 0) return { routes: literal, id: '' }

  const found = routes.flatMap((route) => {
    const id = idIn(path, route.path)
    return id === null ? [] : [{ route, id }]
  })
  return { routes: found.map(({ route }) => route), id: found[0]?.id ?? '' }
}

/** The percent-decoded id in a path, or null where the path does not fit the template. */
function idIn(path: string, template: string): string | null {
  const [before, after] = template.split('{id}')
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

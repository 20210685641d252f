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

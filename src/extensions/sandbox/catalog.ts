import { parseCatalogJson } from '../../api/catalog/json.ts'
import { catalogOperations } from '../../api/catalog/operations.ts'
import type { Planet } from '../../api/catalog/planet.ts'
import type { Problem } from '../../api/catalog/problem.ts'
import { check } from '../../api/schema/check.ts'
import { issuesText } from '../../api/issues.ts'
import { writeJson } from '../../lib/json.ts'
import { matchPath } from '../../api/incoming-request.ts'
import { readBody } from './answers.ts'
import { createRandom } from './random.ts'
import type { RequestEntry } from './types.ts'

/** Prefix of the catalog's paths. */
export const catalogPath = '/catalog'

/** The first id is too large for a number, so that tests find lossy parsing. */
const firstId = 2n ** 53n + 1n

/**
 * Makes an empty catalog. Success statuses, the response to a missing token and who assigns ids are not documented; they
 * are made up here. Callback URLs are not called: what the service would send is not documented either.
 */
export function createCatalog(seed: number) {
  const random = createRandom(`${seed}/catalog`)
  const token = `sandbox.${random.hex(24)}.${random.hex(32)}`
  const planets = new Map<bigint, Planet>()

  async function answer(request: Request, entry: RequestEntry): Promise<[number, Planet | Problem]> {
    const { routes, id } = matchPath(entry.path.slice(catalogPath.length), catalogOperations)
    const operation = routes.find(({ method }) => method === entry.method)
    if (operation === undefined) return problem(404, `No operation ${entry.method} ${entry.path}`)
    entry.operation = operation.id
    if (request.headers.get('authorization') !== `Bearer ${token}`)
      return problem(403, 'Missing or unknown token')

    const body = await readBody(request, parseCatalogJson)
    if (body === undefined) return problem(400, 'The body is not JSON')
    entry.body = body
    const issues = check(operation.request, body)
    if (issues.length > 0) return problem(400, issuesText(issues, 'body'))

    const isNew = id === ''
    if (!isNew && !/^-?\d{1,19}$/.test(id)) return problem(400, 'planetId is not an integer')
    const known = isNew ? firstId + BigInt(planets.size) : BigInt(id)
    if (!isNew && !planets.has(known)) return problem(404, `No planet ${known}`)
    const planet: Planet = { ...(body as Planet), id: known }
    planets.set(known, planet)
    return [isNew ? 201 : 200, planet]
  }

  return {
    /** Accepted as bearer token. */
    token,
    /** Whether a path is the catalog's. */
    owns: (path: string): boolean => path.startsWith(`${catalogPath}/`),
    /** Handles a request, and notes the result in its entry. */
    async handle(request: Request, entry: RequestEntry): Promise<Response> {
      const [status, body] = await answer(request, entry)
      entry.status = status
      const type = status < 300 ? 'application/json' : 'application/problem+json'
      return new Response(writeJson(body), { status, headers: { 'content-type': type } })
    },
  }
}

const titles = { 400: 'Bad Request', 403: 'Forbidden', 404: 'Not Found' }

function problem(status: keyof typeof titles, detail: string): [number, Problem] {
  return [status, { type: 'about:blank', title: titles[status], status, detail }]
}

import { parseCatalogJson, stringifyCatalogJson } from '../api/catalog/json.ts'
import { catalogOperations } from '../api/catalog/operations.ts'
import type { Planet } from '../api/catalog/planet.ts'
import type { Problem } from '../api/catalog/problem.ts'
import { check } from '../api/schema/check.ts'
import { firstIssues } from '../api/issues.ts'
import { createRandom } from './random.ts'
import { readBody } from './read-body.ts'
import type { RequestEntry } from './types.ts'

/** Prefix of the catalog's paths. */
export const catalogPath = '/catalog'

/** The catalog of one sandbox; it starts empty. */
export interface Catalog {
  /** Accepted as bearer token. */
  readonly token: string
  /** Whether a path is the catalog's. */
  owns(path: string): boolean
  /** Handles a request, and notes the result in its entry. */
  handle(request: Request, entry: RequestEntry): Promise<Response>
}

/** The first id is too large for a number, so that tests find lossy parsing. */
const firstId = 2n ** 53n + 1n

/**
 * Makes an empty catalog. Success statuses, the response to a missing token and who assigns ids are not documented; they
 * are made up here. Callback URLs are not called: what the service would send is not documented either.
 */
export function createCatalog(seed: number): Catalog {
  const random = createRandom(`${seed}/catalog`)
  const token = `sandbox.${random.hex(24)}.${random.hex(32)}`
  const planets = new Map<bigint, Planet>()

  async function answer(
    request: Request,
    entry: RequestEntry,
  ): Promise<[status: number, body: Planet | Problem]> {
    const [, collection, id] = /^\/catalog(\/[^/]+)(?:\/([^/]+))?$/.exec(entry.path) ?? []
    const template = id === undefined ? collection : `${collection}/{planetId}`
    const operation = catalogOperations.find(
      ({ method, path }) => method === entry.method && path === template,
    )
    if (operation === undefined) return problem(404, `No operation ${entry.method} ${entry.path}`)
    entry.operation = operation.id
    if (request.headers.get('authorization') !== `Bearer ${token}`)
      return problem(403, 'Missing or unknown token')

    const body = await readBody(request, parseCatalogJson)
    if (body.kind !== 'json') return problem(400, `The body is ${body.kind}`)
    entry.body = body.value
    const issues = check(operation.request, body.value)
    if (issues.length > 0)
      return problem(
        400,
        firstIssues(issues)
          .map(({ path, message }) => `${path || 'body'} ${message}`)
          .join('; '),
      )

    const known = id === undefined ? firstId + BigInt(planets.size) : parseId(id)
    if (known === null) return problem(400, 'planetId is not an integer')
    if (id !== undefined && !planets.has(known)) return problem(404, `No planet ${known}`)
    const planet: Planet = { ...(body.value as Planet), id: known }
    planets.set(known, planet)
    return [id === undefined ? 201 : 200, planet]
  }

  return {
    token,
    owns: (path) => path.startsWith(`${catalogPath}/`),
    async handle(request, entry) {
      const [status, body] = await answer(request, entry)
      entry.status = status
      const type = status < 300 ? 'application/json' : 'application/problem+json'
      return new Response(stringifyCatalogJson(body), { status, headers: { 'content-type': type } })
    },
  }
}

function problem(status: number, detail: string): [number, Problem] {
  const titles: Record<number, string> = { 400: 'Bad Request', 403: 'Forbidden', 404: 'Not Found' }
  return [status, { type: 'about:blank', title: titles[status] ?? 'Error', status, detail }]
}

function parseId(text: string): bigint | null {
  return /^-?\d{1,19}$/.test(text) ? BigInt(text) : null
}

import * as z from 'zod/mini'
import { isRecord } from '../../lib/is-record.ts'
import type { Operation } from '../operation.ts'
import { documented } from '../schema/schema.ts'
import { int64 } from '../schema/build.ts'
import { type Planet, type PlanetId, planet } from './planet.ts'

/** Maximum of planets within each other. Documented shapes have fewer; a circle has more. */
const maxDepth = 250

/** A planet of bounded depth: others would exhaust the stack of the parser after the check. */
const boundedPlanet = z.pipe(z.custom(isShallow, { error: 'is nested too deeply, or in a circle' }), planet)

/** Fields shared by the operations of the catalog (service description, part 4.8): no scopes, surfaces or credits. */
const common = {
  scopes: [],
  surface: null,
  price: { kind: 'free' },
  ...documented<Planet<PlanetId>, Planet<PlanetId>>(boundedPlanet, boundedPlanet),
} as const

export const planetsCreate = {
  ...common,
  id: 'planets.create',
  summary: 'create a planet',
  method: 'POST',
  path: '/planets',
  errors: [400, 403],
} as const satisfies Operation

export const planetsUpdate = {
  ...common,
  id: 'planets.update',
  summary: 'update a planet',
  method: 'PUT',
  path: '/planets/{planetId}',
  pathId: { schema: int64() },
  errors: [400, 403, 404],
} as const satisfies Operation

export const celestialBodiesCreate = {
  ...common,
  id: 'celestialBodies.create',
  summary: 'create a celestial body',
  method: 'POST',
  path: '/celestial-bodies',
} as const satisfies Operation

/** Every operation of the catalog. */
export const catalogOperations = [
  planetsCreate,
  planetsUpdate,
  celestialBodiesCreate,
] as const satisfies readonly Operation[]

function isShallow(value: unknown): boolean {
  let planets = new Set([value])
  for (let depth = 0; planets.size > 0; depth++) {
    if (depth === maxDepth) return false
    planets = new Set([...planets].flatMap(planetsIn))
  }
  return true
}

/** The planets that the satellites of a planet circle. */
function planetsIn(planet: unknown): object[] {
  const satellites = isRecord(planet) ? planet['satellites'] : undefined
  if (!Array.isArray(satellites)) return []
  // A list may lack the methods of arrays.
  const found = Array.from<unknown, unknown>(satellites, (satellite) => {
    const orbit = isRecord(satellite) ? satellite['orbit'] : undefined
    return isRecord(orbit) ? orbit['planet'] : undefined
  })
  return found.filter(isRecord)
}

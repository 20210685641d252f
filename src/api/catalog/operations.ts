import type { Operation } from '../operation.ts'
import { documented, int64 } from '../schema/schema.ts'
import { type Planet, type PlanetId, planet } from './planet.ts'

/** Fields shared by the operations of the catalog (service description, part 4.8): no scopes, surfaces or credits. */
const common = {
  scopes: [],
  surface: null,
  price: { kind: 'free' },
  ...documented<Planet<PlanetId>, Planet<PlanetId>>(planet, planet),
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

export const catalogOperations = [
  planetsCreate,
  planetsUpdate,
  celestialBodiesCreate,
] as const satisfies readonly Operation[]

export {
  type CatalogCallOptions,
  CatalogClient,
  type CatalogOptions,
  type CelestialBodies,
  type Planets,
  ProblemError,
} from './client.ts'
export type { ApiErrorDetails } from '../../errors/index.ts'
export type {
  Orbit,
  Planet,
  PlanetAtmosphere,
  PlanetCreator,
  PlanetId,
  PlanetPhysicalProperties,
  PlanetTemperature,
  Satellite,
} from '../../api/catalog/planet.ts'

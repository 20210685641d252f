export {
  type CatalogCallOptions,
  CatalogClient,
  type CatalogOptions,
  type CelestialBodies,
  type Planets,
} from './client.ts'
export { type CallbackOptions, type CatalogCallback, createCallbackReceiver } from './callbacks.ts'
export { ProblemError } from './problem-error.ts'
export type { ApiErrorDetails } from '../../errors/index.ts'
export type { Delivery, ReceiveOptions, Verify } from '../webhooks/receive.ts'
export {
  type HmacOptions,
  type SharedSecretOptions,
  verifyHmac,
  verifySharedSecret,
} from '../webhooks/verify-signature.ts'
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

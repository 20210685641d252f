import * as z from 'zod/mini'
import { int64 } from '../schema.ts'

/**
 * A planet, which is also the shape of any other celestial body. Which fields are required is not documented, so none is.
 * The service's ids are integers of 64 bits, more than a number can hold: they come as bigint, and may be sent as either.
 */
export interface Planet<Id = bigint> {
  id?: Id | undefined
  name?: string | undefined
  description?: string | undefined
  /** The allowed values are not documented. */
  type?: string | undefined
  habitabilityIndex?: number | undefined
  physicalProperties?: PlanetPhysicalProperties | undefined
  atmosphere?: PlanetAtmosphere[] | undefined
  /** ISO 8601. */
  discoveredAt?: string | undefined
  /** URL of an image. */
  image?: string | undefined
  satellites?: Satellite<Id>[] | undefined
  creator?: PlanetCreator<Id> | undefined
  tags?: string[] | undefined
  /** ISO 8601. */
  lastUpdated?: string | undefined
  /** URL that the service calls when creating the planet succeeded. */
  successCallbackUrl?: string | undefined
  /** URL that the service calls when it failed. */
  failureCallbackUrl?: string | undefined
}

/** Who made a planet. */
export interface PlanetCreator<Id = bigint> {
  id?: Id | undefined
  name?: string | undefined
}

/** Units are not documented. */
export interface PlanetPhysicalProperties {
  mass?: number | undefined
  radius?: number | undefined
  gravity?: number | undefined
  temperature?: PlanetTemperature | undefined
  measurement1?: number | undefined
  measurement2?: number | undefined
}

export interface PlanetTemperature {
  min?: number | undefined
  max?: number | undefined
  average?: number | undefined
  temperatureMetric1?: number | undefined
  temperatureMetric2?: number | undefined
}

export interface PlanetAtmosphere {
  compound?: string | undefined
  percentage?: number | undefined
  atmosphericData1?: string | undefined
  atmosphericData2?: string | undefined
}

/** What circles a planet. */
export interface Satellite<Id = bigint> {
  id?: Id | undefined
  name?: string | undefined
  description?: string | undefined
  diameter?: number | undefined
  type?: string | undefined
  orbit?: Orbit<Id> | undefined
}

export interface Orbit<Id = bigint> {
  planet?: Planet<Id> | undefined
  orbitalPeriod?: number | undefined
  distance?: number | undefined
}

/** What may be sent where the service takes an id: a bigint, or a number that holds it exactly. */
export type PlanetId = bigint | number

const words = () => z.optional(z.string())
const number = () => z.optional(z.number())
const id = () => z.optional(int64())

/** Accepts a bigint or an exact number for each id: what is parsed without loss has only bigints. */
export const planetSchema = () => {
  const planet: z.ZodMiniType<Planet<PlanetId>> = z.object({
    id: id(),
    name: words(),
    description: words(),
    type: words(),
    habitabilityIndex: number(),
    physicalProperties: z.optional(
      z.object({
        mass: number(),
        radius: number(),
        gravity: number(),
        temperature: z.optional(
          z.object({
            min: number(),
            max: number(),
            average: number(),
            temperatureMetric1: number(),
            temperatureMetric2: number(),
          }),
        ),
        measurement1: number(),
        measurement2: number(),
      }),
    ),
    atmosphere: z.optional(
      z.array(
        z.object({
          compound: words(),
          percentage: number(),
          atmosphericData1: words(),
          atmosphericData2: words(),
        }),
      ),
    ),
    discoveredAt: words(),
    image: words(),
    satellites: z.optional(z.array(z.lazy(() => satellite))),
    creator: z.optional(z.object({ id: id(), name: words() })),
    tags: z.optional(z.array(z.string())),
    lastUpdated: words(),
    successCallbackUrl: words(),
    failureCallbackUrl: words(),
  })
  const satellite: z.ZodMiniType<Satellite<PlanetId>> = z.object({
    id: id(),
    name: words(),
    description: words(),
    diameter: number(),
    type: words(),
    orbit: z.optional(z.object({ planet: z.optional(planet), orbitalPeriod: number(), distance: number() })),
  })
  return planet
}

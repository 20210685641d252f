import * as z from 'zod/mini'
import { int64, listOf } from '../schema/schema.ts'

/**
 * A planet; other celestial bodies have the same shape. Required fields are not documented, so all are optional. Ids
 * are integers of 64 bits: responses have bigints, requests accept both.
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

/** An id in a request: a bigint, or a number that holds it exactly. */
export type PlanetId = bigint | number

const words = z.optional(z.string())
const number = z.optional(z.number())
const id = z.optional(int64())

export const planetTemperature = z.object({
  min: number,
  max: number,
  average: number,
  temperatureMetric1: number,
  temperatureMetric2: number,
})

export const planetPhysicalProperties = z.object({
  mass: number,
  radius: number,
  gravity: number,
  temperature: z.optional(planetTemperature),
  measurement1: number,
  measurement2: number,
})

export const planetAtmosphere = z.object({
  compound: words,
  percentage: number,
  atmosphericData1: words,
  atmosphericData2: words,
})

export const planetCreator = z.object({ id, name: words })

/** Accepts a bigint or an exact number for each id; responses contain only bigints. */
export const planet = z.object({
  id,
  name: words,
  description: words,
  type: words,
  habitabilityIndex: number,
  physicalProperties: z.optional(planetPhysicalProperties),
  atmosphere: z.optional(listOf(planetAtmosphere)),
  discoveredAt: words,
  image: words,
  get satellites() {
    return z.optional(listOf(satellite))
  },
  creator: z.optional(planetCreator),
  tags: z.optional(listOf(z.string())),
  lastUpdated: words,
  successCallbackUrl: words,
  failureCallbackUrl: words,
})

export const orbit = z.object({
  get planet() {
    return z.optional(planet)
  },
  orbitalPeriod: number,
  distance: number,
})

export const satellite = z.object({
  id,
  name: words,
  description: words,
  diameter: number,
  type: words,
  orbit: z.optional(orbit),
})

import * as z from 'zod/mini'
import { isRecord } from '../../lib/is-record.ts'
import { int64 } from '../schema/build.ts'
import { object } from '../schema/objects.ts'

const words = z.optional(z.string())
const number = z.optional(z.number())
const id = z.optional(int64())

export const planetTemperature = object({
  min: number,
  max: number,
  average: number,
  temperatureMetric1: number,
  temperatureMetric2: number,
})

export const planetPhysicalProperties = object({
  mass: number,
  radius: number,
  gravity: number,
  temperature: z.optional(planetTemperature),
  measurement1: number,
  measurement2: number,
})

export const planetAtmosphere = object({
  compound: words,
  percentage: number,
  atmosphericData1: words,
  atmosphericData2: words,
})

export const planetCreator = object({ id, name: words })

/** Accepts a bigint or an exact number for each id; responses contain only bigints. */
export const planet = object({
  id,
  name: words,
  description: words,
  type: words,
  habitabilityIndex: number,
  physicalProperties: z.optional(planetPhysicalProperties),
  atmosphere: z.optional(z.array(planetAtmosphere)),
  discoveredAt: words,
  image: words,
  get satellites() {
    return z.optional(z.array(satellite))
  },
  creator: z.optional(planetCreator),
  tags: z.optional(z.array(z.string())),
  lastUpdated: words,
  successCallbackUrl: words,
  failureCallbackUrl: words,
})

export const orbit = object({
  get planet() {
    return z.optional(planet)
  },
  orbitalPeriod: number,
  distance: number,
})

export const satellite = object({
  id,
  name: words,
  description: words,
  diameter: number,
  type: words,
  orbit: z.optional(orbit),
})

/** Maximum of planets within each other. Documented shapes have fewer; a circle has more. */
const maxDepth = 250

/** Refuses what would exhaust the stack of the parser after it. */
const shallow = z.custom(isShallow, { error: 'is nested too deeply, or in a circle' })

/** A planet of bounded depth, for requests and responses. */
export const boundedPlanet = z.pipe(shallow, planet)

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

import * as z from 'zod/mini'
import type { Planet, PlanetId, Satellite } from '../catalog/planet.ts'
import { int64 } from './build.ts'

const words = z.optional(z.string())
const number = z.optional(z.number())
const id = z.optional(int64())

/** Accepts a bigint or an exact number for each id; responses contain only bigints. */
export const planet: z.ZodMiniType<Planet<PlanetId>> = z.object({
  id: id,
  name: words,
  description: words,
  type: words,
  habitabilityIndex: number,
  physicalProperties: z.optional(
    z.object({
      mass: number,
      radius: number,
      gravity: number,
      temperature: z.optional(
        z.object({
          min: number,
          max: number,
          average: number,
          temperatureMetric1: number,
          temperatureMetric2: number,
        }),
      ),
      measurement1: number,
      measurement2: number,
    }),
  ),
  atmosphere: z.optional(
    z.array(
      z.object({
        compound: words,
        percentage: number,
        atmosphericData1: words,
        atmosphericData2: words,
      }),
    ),
  ),
  discoveredAt: words,
  image: words,
  satellites: z.optional(z.array(z.lazy(() => satellite))),
  creator: z.optional(z.object({ id: id, name: words })),
  tags: z.optional(z.array(z.string())),
  lastUpdated: words,
  successCallbackUrl: words,
  failureCallbackUrl: words,
})
const satellite: z.ZodMiniType<Satellite<PlanetId>> = z.object({
  id: id,
  name: words,
  description: words,
  diameter: number,
  type: words,
  orbit: z.optional(z.object({ planet: z.optional(planet), orbitalPeriod: number, distance: number })),
})

import * as z from 'zod/mini'
import { integer, text } from './build.ts'

const nullable = z.nullable(z.string())

const location = z.object({
  country: nullable,
  city: nullable,
  geographicArea: nullable,
  postalCode: nullable,
  line1: nullable,
  line2: nullable,
  description: nullable,
  headquarter: z.boolean(),
})

export const request = z.strictObject({ url: text({ min: 1, max: 2048 }) })

export const response = z.object({
  requestId: z.string(),
  company: z.object({
    id: z.string(),
    name: z.string(),
    universalName: nullable,
    linkedinUrl: nullable,
    description: nullable,
    tagline: nullable,
    websiteUrl: nullable,
    industry: nullable,
    foundedYear: z.nullable(z.int()),
    followerCount: integer({ min: 0 }),
    employeeCount: integer({ min: 0 }),
    employeeCountRange: z.nullable(
      z.object({ start: integer({ min: 0 }), end: z.nullable(integer({ min: 0 })) }),
    ),
    headquarter: z.nullable(location),
    locations: z.array(location),
    specialities: z.array(z.string()),
    logoUrl: nullable,
  }),
})

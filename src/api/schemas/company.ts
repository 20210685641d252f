import * as z from 'zod/mini'
import { integer, text } from '../schema/build.ts'
import { object, strictObject } from '../schema/objects.ts'

const nullable = z.nullable(z.string())

export const companyLocation = object({
  country: nullable,
  city: nullable,
  geographicArea: nullable,
  postalCode: nullable,
  line1: nullable,
  line2: nullable,
  description: nullable,
  headquarter: z.boolean(),
})

export const companyGetParams = strictObject({ url: text({ min: 1, max: 2048 }) })

export const company = object({
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
    object({ start: integer({ min: 0 }), end: z.nullable(integer({ min: 0 })) }),
  ),
  headquarter: z.nullable(companyLocation),
  locations: z.array(companyLocation),
  specialities: z.array(z.string()),
  logoUrl: nullable,
})

export const companyGetBody = object({ requestId: z.string(), company })

import * as z from 'zod/mini'
import { published } from '../credits.ts'
import { acceptsRequest, acceptsResponse } from '../generated/professionalnet.company.get.ts'
import { recommendedTimeoutMs } from '../limits.ts'
import type { Operation } from '../operation.ts'
import { check, integer, text } from '../schema.ts'

/** Which company to look up. */
export interface CompanyGetParams {
  /** URL of the company's public page, 1 to 2,048 characters. */
  url: string
}

/** A place where a company is. */
export interface CompanyLocation {
  country: string | null
  city: string | null
  geographicArea: string | null
  postalCode: string | null
  line1: string | null
  line2: string | null
  description: string | null
  /** Whether it is marked as the headquarters. */
  headquarter: boolean
}

/** A company's profile on the professional network. */
export interface Company {
  id: string
  name: string
  universalName: string | null
  linkedinUrl: string | null
  description: string | null
  tagline: string | null
  websiteUrl: string | null
  industry: string | null
  foundedYear: number | null
  followerCount: number
  employeeCount: number
  /** `end` is null where the range is open. */
  employeeCountRange: { start: number; end: number | null } | null
  headquarter: CompanyLocation | null
  locations: CompanyLocation[]
  specialities: string[]
  logoUrl: string | null
}

/** A company's profile, as the service sends it. */
export interface CompanyGetBody {
  /** The service's id of this request, for its support. */
  requestId: string
  company: Company
}

const nullable = () => z.nullable(z.string())

const locationSchema = () =>
  z.object({
    country: nullable(),
    city: nullable(),
    geographicArea: nullable(),
    postalCode: nullable(),
    line1: nullable(),
    line2: nullable(),
    description: nullable(),
    headquarter: z.boolean(),
  })

export const companyGetParamsSchema = () => z.strictObject({ url: text({ min: 1, max: 2048 }) })

export const companyGetBodySchema = () =>
  z.object({
    requestId: z.string(),
    company: z.object({
      id: z.string(),
      name: z.string(),
      universalName: nullable(),
      linkedinUrl: nullable(),
      description: nullable(),
      tagline: nullable(),
      websiteUrl: nullable(),
      industry: nullable(),
      foundedYear: z.nullable(z.int()),
      followerCount: integer({ min: 0 }),
      employeeCount: integer({ min: 0 }),
      employeeCountRange: z.nullable(
        z.object({ start: integer({ min: 0 }), end: z.nullable(integer({ min: 0 })) }),
      ),
      headquarter: z.nullable(locationSchema()),
      locations: z.array(locationSchema()),
      specialities: z.array(z.string()),
      logoUrl: nullable(),
    }),
  })

/** POST /data/professionalnet/company/get (service description, part 4.4). */
export const companyGet = {
  id: 'professionalnet.company.get',
  summary: 'look a company up by the URL of its page',
  method: 'POST',
  path: '/data/professionalnet/company/get',
  scopes: ['search:read'],
  surface: 'professionalnet',
  price: {
    kind: 'perRequest',
    ...published('apiLinkedInSearchPerRequest'),
  },
  timeoutMs: recommendedTimeoutMs,
  documented: true,
  errors: [400, 401, 429, 502, 503],
  request: check<CompanyGetParams>(companyGetParamsSchema, acceptsRequest),
  response: check<CompanyGetBody>(companyGetBodySchema),
  acceptsResponse,
} as const satisfies Operation

import * as z from 'zod/mini'
import { atRate } from '../../price.ts'
import type { Operation } from '../../operation.ts'
import { documented, integer, listOf, text } from '../../schema/schema.ts'
import { paidCall } from './paid-call.ts'

/** Which company to look up. */
export interface ProfessionalnetCompanyGetParams {
  /** URL of the company's public page, 1 to 2,048 characters. */
  url: string
}

/** A location of a company. */
export interface ProfessionalnetCompanyLocation {
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
export interface ProfessionalnetCompany {
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
  /** `end` is null if the range is open. */
  employeeCountRange: { start: number; end: number | null } | null
  headquarter: ProfessionalnetCompanyLocation | null
  locations: ProfessionalnetCompanyLocation[]
  specialities: string[]
  logoUrl: string | null
}

/** A company's profile, as the service sends it. */
export interface ProfessionalnetCompanyGetBody {
  /** The service's id of this request, for support. */
  requestId: string
  company: ProfessionalnetCompany
}

const nullable = z.nullable(z.string())

export const professionalnetCompanyLocation = z.object({
  country: nullable,
  city: nullable,
  geographicArea: nullable,
  postalCode: nullable,
  line1: nullable,
  line2: nullable,
  description: nullable,
  headquarter: z.boolean(),
})

export const professionalnetCompanyGetParams = z.strictObject({ url: text({ min: 1, max: 2048 }) })

export const professionalnetCompany = z.object({
  id: z.string(),
  name: z.string(),
  universalName: nullable,
  linkedinUrl: nullable,
  description: nullable,
  tagline: nullable,
  websiteUrl: nullable,
  industry: nullable,
  foundedYear: z.nullable(integer()),
  followerCount: integer({ min: 0 }),
  employeeCount: integer({ min: 0 }),
  employeeCountRange: z.nullable(
    z.object({ start: integer({ min: 0 }), end: z.nullable(integer({ min: 0 })) }),
  ),
  headquarter: z.nullable(professionalnetCompanyLocation),
  locations: listOf(professionalnetCompanyLocation),
  specialities: listOf(z.string()),
  logoUrl: nullable,
})

export const professionalnetCompanyGetBody = z.object({
  requestId: z.string(),
  company: professionalnetCompany,
})

/** POST /data/professionalnet/company/get (service description, part 4.4). */
export const companyGet = {
  ...paidCall,
  id: 'professionalnet.company.get',
  summary: 'get the profile of a company by the URL of its page',
  path: '/data/professionalnet/company/get',
  price: { kind: 'perRequest', ...atRate('apiLinkedInSearchPerRequest') },
  ...documented<ProfessionalnetCompanyGetParams, ProfessionalnetCompanyGetBody>(
    professionalnetCompanyGetParams,
    professionalnetCompanyGetBody,
  ),
} as const satisfies Operation

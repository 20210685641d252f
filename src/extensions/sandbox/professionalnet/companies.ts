import type {
  ProfessionalnetCompany,
  ProfessionalnetCompanyLocation,
} from '../../../api/professionalnet/company.ts'
import type { Random } from '../random.ts'
import { SandboxError } from '../responses.ts'
import catalog from './companies.json' with { type: 'json' }

export type Company = ProfessionalnetCompany

/** The last part of a company's URL. */
export function slugOf({ name }: Pick<Company, 'name'>): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
}

/** The address of a company's page, also of one whose profile does not say it. */
export function pageOfCompany(company: Pick<Company, 'name'>): string {
  return `https://professionalnet.example/company/${slugOf(company)}`
}

/**
 * Finds the company at a URL. The host may be any, since the host of the sandbox's URLs does not exist. The 404 for an
 * unknown company is made up: the service documents none.
 */
export function findCompany(companies: readonly Company[], url: string) {
  const name = /\/company\/([^/?#]+)/.exec(url.toLowerCase())?.[1]
  const company = companies.find(
    (each) =>
      url === each.linkedinUrl ||
      (name !== undefined && [slugOf(each), each.universalName, each.id].includes(name)),
  )
  if (company === undefined) throw new SandboxError(404, { message: `No company at ${url}` })
  return { company }
}

/** Makes up profiles. Every field that may be null is so for some of them. */
export function createCompanies(random: Random): Company[] {
  const orNull = <T>(share: number, value: T): T | null => (random.chance(share) ? null : value)
  return Object.entries(catalog.companies).map(([name, industry], index): Company => {
    const slug = slugOf({ name })
    const range = random.pick(catalog.employeeCounts)
    const locations = createLocations(random)
    return {
      id: String(1_000_003 + 7919 * index + random.integer(0, 7000)),
      name,
      universalName: orNull(0.06, slug),
      linkedinUrl: orNull(0.08, pageOfCompany({ name })),
      description: orNull(0.12, `${name} works in ${industry.toLowerCase()} and is entirely made up.`),
      tagline: orNull(0.3, `${industry}, done with care`),
      websiteUrl: orNull(0.15, `https://${slug}.example/`),
      industry: orNull(0.1, industry),
      foundedYear: orNull(0.2, random.integer(1898, 2025)),
      followerCount: random.longTail(1800),
      employeeCount: random.integer(range.start, range.end ?? 42_000),
      employeeCountRange: orNull(0.1, { ...range }),
      headquarter: locations.find(({ headquarter }) => headquarter) ?? null,
      locations,
      specialities: catalog.specialities.filter(() => random.chance(0.25)),
      logoUrl: orNull(0.1, `https://media.professionalnet.example/logo/${random.hex(12)}.png`),
    }
  })
}

/** The first one may be the headquarter. */
function createLocations(random: Random): ProfessionalnetCompanyLocation[] {
  const hasHeadquarter = random.chance(0.85)
  return Array.from({ length: random.integer(0, 3) }, (_, index) => ({
    ...random.pick(catalog.places),
    line1: `${random.integer(1, 180)} ${random.pick(catalog.streets)}`,
    line2: null,
    description: random.pick(['Studio', 'Warehouse', null]),
    headquarter: hasHeadquarter && index === 0,
  }))
}

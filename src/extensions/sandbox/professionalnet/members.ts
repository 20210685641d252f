import type {
  ProfessionalnetCompany,
  ProfessionalnetCompanyLocation,
} from '../../../api/professionalnet/company.ts'
import type { ProfessionalnetIndustry } from '../../../api/professionalnet/industries.ts'
import { longTail, slug } from '../authors.ts'
import { memoizeLatest } from '../memoize-latest.ts'
import accounts from '../names.json' with { type: 'json' }
import { type Topic, english } from '../phrases/languages.ts'
import { type Random, createRandom } from '../random.ts'
import { SandboxError } from '../responses.ts'
import { findIndustry } from './industries.ts'
import names from './names.json' with { type: 'json' }

/** A company, with data for searches that its profile does not have. */
export interface IndexedCompany {
  readonly company: ProfessionalnetCompany
  readonly slug: string
  readonly url: string
  /** Null if the taxonomy does not have the company's industry. */
  readonly industry: ProfessionalnetIndustry | null
}

/** A made-up person with a profile. */
export interface Person {
  /** Last part of the profile's URL, and the name after `@` in a text. */
  readonly handle: string
  readonly url: string
  readonly urn: string
  readonly name: string
  readonly jobTitle: string
  readonly headline: string
  readonly image: string
  readonly employer: IndexedCompany
  /** Topics of most of their posts. */
  readonly interests: readonly Topic[]
}

const personCount = 160

/** The companies of a seed, and the people who work there. */
export const membersOf = memoizeLatest((seed: number) => {
  const random = createRandom(`${seed}/professionalnet`)
  const companies = createCompanies(random)
  return { companies, people: createPeople(random, companies) }
})

/** The last part of a company's URL. */
export function slugOf(name: string): string {
  return name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-')
}

export function companyUrl(slug: string): string {
  return `https://professionalnet.example/company/${slug}`
}

/**
 * Finds the company at a URL. The host may be any, since the host of the sandbox's URLs does not exist. The 404 for an
 * unknown company is made up: the service documents none.
 */
export function findCompany(companies: readonly IndexedCompany[], url: string) {
  const name = /\/company\/([^/?#]+)/.exec(url.toLowerCase())?.[1]
  const found = companies.find((each) => name === each.slug || name === each.company.id || url === each.url)
  if (found === undefined) throw new SandboxError(404, { message: `No company at ${url}` })
  return { company: found.company }
}

/** Makes up profiles. Every field that may be null is so for some of them. */
function createCompanies(random: Random): IndexedCompany[] {
  const orNull = <T>(share: number, value: T): T | null => (random.chance(share) ? null : value)
  return Object.entries(names.companies).map(([name, label], index) => {
    const slug = slugOf(name)
    const url = companyUrl(slug)
    const id = String(1_000_003 + 7919 * index + random.integer(0, 7000))
    const range = random.pick(names.employeeCounts)
    const locations = createLocations(random)
    const company: ProfessionalnetCompany = {
      id,
      name,
      universalName: orNull(0.06, slug),
      linkedinUrl: orNull(0.08, url),
      description: orNull(0.12, `${name} works in ${label.toLowerCase()} and is entirely made up.`),
      tagline: orNull(0.3, `${label}, done with care`),
      websiteUrl: orNull(0.15, `https://${slug}.example/`),
      industry: orNull(0.1, label),
      foundedYear: orNull(0.2, random.integer(1898, 2025)),
      followerCount: longTail(random, 1800),
      employeeCount: random.integer(range.start, range.end ?? 42_000),
      employeeCountRange: orNull(0.1, { ...range }),
      headquarter: locations.find(({ headquarter }) => headquarter) ?? null,
      locations,
      specialities: names.specialities.filter(() => random.chance(0.25)),
      logoUrl: orNull(0.1, `https://media.professionalnet.example/logo/${random.hex(12)}.png`),
    }
    return { company, slug, url, industry: findIndustry(label) }
  })
}

/** The first one may be the headquarter. */
function createLocations(random: Random): ProfessionalnetCompanyLocation[] {
  const hasHeadquarter = random.chance(0.85)
  return Array.from({ length: random.integer(0, 3) }, (_, index) => ({
    ...random.pick(names.places),
    line1: `${random.integer(1, 180)} ${random.pick(names.streets)}`,
    line2: null,
    description: random.pick(['Studio', 'Warehouse', null]),
    headquarter: hasHeadquarter && index === 0,
  }))
}

/** Makes up people who work at the given companies, each with a unique handle. */
function createPeople(random: Random, companies: readonly IndexedCompany[]): Person[] {
  const people = new Map<string, Person>()
  while (people.size < personCount) {
    const name = `${random.pick(english.firstNames)} ${random.pick(accounts.surnames)}`
    const handle = slug(name)
    const jobTitle = random.pick(names.jobTitles)
    const employer = random.pick(companies)
    people.set(handle, {
      handle,
      url: `https://professionalnet.example/in/${handle}`,
      urn: `urn:professionalnet:person:${random.hex(10)}`,
      name,
      jobTitle,
      headline: `${jobTitle} at ${employer.company.name}`,
      image: `https://media.professionalnet.example/profile/${random.hex(12)}.jpg`,
      employer,
      interests: [random.weighted(english.topics), random.weighted(english.topics)],
    })
  }
  return [...people.values()]
}

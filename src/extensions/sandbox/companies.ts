import type { ProfessionalnetCompany as Company } from '../../api/endpoints/professionalnet/company.ts'
import {
  type ProfessionalnetIndustriesListParams,
  type ProfessionalnetIndustry,
  industriesPageSize,
} from '../../api/endpoints/professionalnet/industries.ts'
import { SandboxError } from './answers.ts'
import madeUp from './companies.json' with { type: 'json' }
import hierarchies from './industries.json' with { type: 'json' }
import defaults from './own-defaults.json' with { type: 'json' }
import type { SandboxCompany } from './types.ts'
import { fold } from './words.ts'

/** Completes the profile of a company. */
export function companyOf(given: SandboxCompany, id: string): Company {
  const made = { id, universalName: slugOf(given), linkedinUrl: pageOfCompany(given) }
  return { ...defaults.company, ...made, ...given }
}

/** The same in every sandbox. Every field that may be null is so for some of them. */
export const madeUpCompanies: readonly Company[] = madeUp.map((given, index) => {
  const locations = given.headquarter ? [given.headquarter] : []
  return companyOf({ ...given, locations }, String(1_000_003 + 7919 * index))
})

/** The last part of a company's URL. */
export function slugOf({ name }: { readonly name: unknown }): string {
  return String(name)
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
}

/** The address of a company's page, also of one whose profile does not say it. */
export function pageOfCompany(company: { readonly name: unknown }): string {
  return `https://professionalnet.example/company/${slugOf(company)}`
}

/**
 * Finds the company at a URL. The host may be any, since the host of the sandbox's URLs does not exist. The 404 for an
 * unknown company is made up: the service documents none.
 */
export function findCompany(companies: readonly Company[], url: string) {
  const name = /\/company\/([^/?#]+)/.exec(url.toLowerCase())?.[1] ?? ''
  const company = companies.find(
    ({ linkedinUrl, universalName, id }) =>
      url === linkedinUrl || [universalName?.toLowerCase(), id].includes(name),
  )
  if (company === undefined) throw new SandboxError(404, { message: `No company at ${url}` })
  return { company }
}

/**
 * Every industry, each after the one it belongs to. Like the service's, they do not depend on a seed. They look real, but
 * are not the service's own list.
 */
const industries = hierarchies.map((hierarchy, index): ProfessionalnetIndustry => {
  // Leave gaps between the ids, so that code which counts them up fails.
  const id = 4 + 7 * index + (index % 5)
  return { id, label: hierarchy.split(' > ').at(-1) ?? '', hierarchy }
})

export function labelOf(id: number): string | undefined {
  return industries.find((each) => each.id === id)?.label
}

/**
 * Lists industries. `q` matches as a substring of the hierarchy, in any case; there are no descriptions to search.
 * A page beyond the last one is empty, and a search without results has no pages: neither is documented.
 */
export function listMatching({ q = '', page = 1 }: ProfessionalnetIndustriesListParams) {
  const wanted = fold(q).trim()
  const found = industries.filter(({ hierarchy }) => fold(hierarchy).includes(wanted))
  const total = found.length
  const pageSize = industriesPageSize
  return {
    industries: found.slice((page - 1) * pageSize, page * pageSize),
    meta: { total, page, pageCount: Math.ceil(total / pageSize), pageSize },
  }
}

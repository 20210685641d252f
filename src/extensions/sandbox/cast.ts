import names from './names.json' with { type: 'json' }
import { type Company, madeUpCompanies, pageOfCompany, slugOf } from './professionalnet/companies.ts'
import { createRandom } from './random.ts'

/** An author of posts. A person has an account on each network, a company has one on the professional network. */
export interface Author {
  /** Name after `@` in a text. */
  readonly handle: string
  readonly name: string
  /** Address, id and looks on the professional network. */
  readonly profile: Readonly<Record<'url' | 'urn' | 'headline' | 'image', string>>
  /** Null for a company. */
  readonly jobTitle: string | null
  /** The employer of a person, or the company itself. */
  readonly company: Company
}

const random = createRandom('cast')

/** The same in every sandbox. */
export const people: readonly Author[] = names.firstNames.flatMap((first) =>
  names.surnames.map((surname) => {
    const handle = `${first}_${surname.replaceAll('-', '')}`.toLowerCase()
    const jobTitle = random.pick(names.jobTitles)
    const company = random.pick(madeUpCompanies)
    const profile = {
      url: `https://professionalnet.example/in/${handle}`,
      urn: `urn:professionalnet:person:${random.hex(10)}`,
      headline: `${jobTitle} at ${company.name}`,
      image: `https://media.professionalnet.example/profile/${handle}.jpg`,
    }
    return { handle, name: `${first} ${surname}`, profile, jobTitle, company }
  }),
)

/** The companies as authors. */
export const companyPages: readonly Author[] = madeUpCompanies.map((company) => ({
  handle: slugOf(company).replaceAll('-', '_'),
  name: company.name,
  profile: {
    url: pageOfCompany(company),
    urn: `urn:professionalnet:organization:${company.id}`,
    headline: `${company.followerCount} followers`,
    image: company.logoUrl ?? '',
  },
  jobTitle: null,
  company,
}))

/** Everybody, by handle. */
export const authors: ReadonlyMap<string, Author> = new Map(
  [...people, ...companyPages].map((author) => [author.handle, author]),
)

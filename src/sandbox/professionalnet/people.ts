import accounts from '../names.json' with { type: 'json' }
import { type Topic, english } from '../phrases/languages.ts'
import type { Random } from '../random.ts'
import type { IndexedCompany } from './companies.ts'
import names from './names.json' with { type: 'json' }

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

/** Makes up people who work at the given companies, each with a unique handle. */
export function createPeople(random: Random, companies: readonly IndexedCompany[]): Person[] {
  const people = new Map<string, Person>()
  while (people.size < personCount) {
    const name = `${random.pick(english.firstNames)} ${random.pick(accounts.surnames)}`
    const handle = name
      .normalize('NFD')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '')
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

import { memoizeLatest } from './memoize-latest.ts'
import names from './names.json' with { type: 'json' }
import { type Phrases, type Topic, english, languages } from './phrases/languages.ts'
import { type Company, createCompanies } from './professionalnet/companies.ts'
import { type Random, createRandom } from './random.ts'

/** A made-up person, with an account on each network. */
export interface Person {
  /** Name after `@` in a text, and the last part of the profile's URL. */
  readonly handle: string
  readonly name: string
  readonly language: Phrases
  /** Topics of their posts. */
  readonly interests: readonly Topic[]
  /** On the professional network. */
  readonly profile: Readonly<Record<'url' | 'urn' | 'headline' | 'image', string>>
  readonly jobTitle: string
  readonly employer: Company
}

const personCount = 240

/** The people of a seed, and the companies that they work for. The professional network speaks English. */
export const castOf = memoizeLatest((seed: number) => {
  const random = createRandom(`${seed}/people`)
  const companies = createCompanies(random)
  const people = createPeople(random, companies)
  return { companies, people, members: people.filter(({ language }) => language === english) }
})

/** Each has a unique handle. */
function createPeople(random: Random, companies: readonly Company[]): Person[] {
  const people = new Map<string, Person>()
  while (people.size < personCount) {
    const language = random.weighted(languages)
    const [first, surname] = [random.pick(language.firstNames), random.pick(names.surnames)]
    const handle = handleOf(random, first, surname)
    const jobTitle = random.pick(names.jobTitles)
    const employer = random.pick(companies)
    people.set(handle, {
      handle,
      name: `${first} ${surname}`,
      language,
      interests: [random.weighted(language.topics), random.weighted(language.topics)],
      profile: {
        url: `https://professionalnet.example/in/${handle}`,
        urn: `urn:professionalnet:person:${random.hex(10)}`,
        headline: `${jobTitle} at ${employer.name}`,
        image: `https://media.professionalnet.example/profile/${handle}.jpg`,
      },
      jobTitle,
      employer,
    })
  }
  return [...people.values()]
}

/** Handles have no other letters; a Japanese name loses all of them. */
function handleOf(random: Random, ...name: readonly [first: string, surname: string]): string {
  const [first, surname] = name.map((part) =>
    part
      .normalize('NFD')
      .toLowerCase()
      .replaceAll(/[^a-z]/g, ''),
  )
  return first === '' ? `${surname}_${random.integer(2, 99)}` : `${first}${random.pick(['', '_'])}${surname}`
}

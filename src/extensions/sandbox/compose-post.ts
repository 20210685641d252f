import { madeUpCompanies, pageOfCompany, slugOf } from './companies.ts'
import names from './names.json' with { type: 'json' }
import phrases from './phrases.json' with { type: 'json' }
import { type Random, createRandom } from './random.ts'
import { containsPhrase, normalize } from './words.ts'

/** What a post is about. */
export interface Topic {
  /** Word that every post on the topic holds, in its text or as a hashtag. */
  readonly keyword: string
  /** What a post may call it. */
  readonly things: readonly string[]
}

/** What posts are about that no query has asked for. */
export const topics: readonly Topic[] = Object.entries(phrases.things).map(([keyword, things]) => ({
  keyword,
  things,
}))

/** A query with this word has no results, for tests of empty results. */
const nothing = /\bnothing\b/i

/** The topic of comments on posts from a test. */
export const anything = aboutThing('this')

/** The topic of a query; null for a query without results. */
export function topicAbout(query: string): Topic | null {
  const words = query.match(/[\p{L}\p{M}\p{N}_']+/gu) ?? []
  if (words.length === 0 || nothing.test(query)) return null
  const known = topics.find(({ keyword }) => keyword === query.trim().toLowerCase())
  return known ?? aboutThing(words.join(' '))
}

function aboutThing(thing: string): Topic {
  return { keyword: thing.toLowerCase().replaceAll(/[ ']/g, ''), things: [thing] }
}

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
  readonly company: (typeof madeUpCompanies)[number]
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

/** Choices for each `{name}` in a line. `{2-9}` in a line is a number. */
const slots: Readonly<Record<string, readonly string[]>> = {
  ...phrases.slots,
  host: phrases.hosts,
  handle: people.map(({ handle }) => handle),
  company: companyPages.map(({ handle }) => handle),
}

/**
 * Writes a post, or sometimes a reply. It always holds its topic's keyword, so that a search for the topic
 * finds it.
 *
 * @param replies Share of replies, 0 to 1.
 */
export function composePost(random: Random, topic: Topic, replies = 0): string {
  const lines = random.chance(replies)
    ? ['@{handle}', random.pick(phrases.replies)]
    : [
        ...(random.chance(0.22) ? [random.pick(phrases.openers)] : []),
        random.pick(phrases.lines),
        ...(random.chance(0.6) ? [random.pick(phrases.endings)] : []),
      ]
  const text = lines.map((line) => fill(random, topic, line)).join(' ')
  const isNamed = containsPhrase(topic.keyword)(normalize(text))
  const hashtag = random.chance(0.3) ? ` #${random.pick(phrases.hashtags)}` : ''
  return (isNamed ? text : `${text} #${topic.keyword}`) + hashtag
}

/** Fills the slots of a line, and those of what is filled in. Sentences then begin with a capital letter. */
export function fill(random: Random, { things }: Topic, line: string): string {
  const filled = (text: string): string =>
    text.replaceAll(/\{(?:(\d+)-(\d+)|(\w+))\}/g, (_, min: string | undefined, max: string, name: string) =>
      min === undefined
        ? filled(random.pick(name === 'thing' ? things : (slots[name] ?? [])))
        : String(random.integer(Number(min), Number(max))),
    )
  return filled(line).replaceAll(/(?:^|[.!?] )\p{Ll}/gu, (start) => start.toUpperCase())
}

import names from './names.json' with { type: 'json' }
import { type Phrases, type Topic, english, languages } from './phrases/languages.ts'
import { type Random, hash } from './random.ts'

/** A made-up author of posts. */
export interface Author {
  readonly handle: string
  readonly name: string
  readonly language: Phrases
  /** Topics of most of their posts. */
  readonly interests: readonly Topic[]
  /** Typical number of views of a post. */
  readonly reach: number
}

const authorCount = 320

/** Makes up the people of one corpus, each with a unique handle. The first ones write most posts. */
export function createAuthors(random: Random): Author[] {
  const authors = new Map<string, Author>()
  // Accounts of organizations and projects, each with the keyword of its topic.
  for (const [name, keyword] of Object.entries(names.pages)) {
    const interests = english.topics.filter((topic) => topic.keyword === keyword)
    add(name, english, slug(name.replace(/^The /, '')), interests)
  }
  while (authors.size < authorCount) {
    const language = random.weighted(languages)
    const first = random.pick(language.firstNames)
    const surname = random.pick(names.surnames)
    const interests = [random.weighted(language.topics), random.weighted(language.topics)]
    add(`${first} ${surname}`, language, personalHandle(first, surname), interests)
  }
  return [...authors.values()].sort((a, b) => hash(a.handle) - hash(b.handle))

  function add(name: string, language: Phrases, handle: string, interests: readonly Topic[]): void {
    const reach = longTail(random, 220)
    if (!authors.has(handle)) authors.set(handle, { handle, name, language, interests, reach })
  }

  function personalHandle(first: string, surname: string): string {
    const short = slug(first)
    const long = slug(surname)
    if (short === '') return `${long}_${random.integer(2, 99)}`
    const joint = random.pick(['', '_', '_'])
    return random.chance(0.6)
      ? `${short}${joint}${long}`
      : `${short}_${long.slice(0, 1)}${random.pick(names.handleEndings)}`
  }
}

/**
 * A number whose typical value is near the given one and whose rare values are a hundred times as large. Made
 * with division alone: logarithms and powers differ in the last digit between JavaScript engines.
 */
export function longTail(random: Random, typical: number): number {
  return Math.floor((typical * 0.5) / (random.next() + 0.004))
}

/** Keeps the letters that a handle may contain; a Japanese name loses all of them. */
export function slug(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '')
}

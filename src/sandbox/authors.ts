import { german } from './phrases/de.ts'
import { english } from './phrases/en.ts'
import { spanish } from './phrases/es.ts'
import { french } from './phrases/fr.ts'
import { japanese } from './phrases/ja.ts'
import { portuguese } from './phrases/pt.ts'
import type { Phrases, Topic } from './phrases/topic.ts'
import { type Random, hash } from './random.ts'

export const languages: readonly Phrases[] = [english, german, french, spanish, japanese, portuguese]

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

export const surnames: readonly string[] = [
  'Quillfeather',
  'Oakhollow',
  'Lanternby',
  'Mossgrave',
  'Tidewell',
  'Brambleford',
  'Saltwhistle',
  'Inkpenny',
  'Copperlane',
  'Foxglen',
  'Nettlebrook',
  'Starling-Moor',
  'Windlass',
  'Peppercorn-Vale',
  'Thistlewick',
  'Harrowgate-Finch',
  'Candlemere',
  'Rooksby',
  'Underhedge',
  'Marblewood',
  'Driftwell',
  'Hazelmark',
  'Cloudsley-Fenn',
  'Buttonwright',
  'Kettlestone',
  'Larkrise',
  'Muddlecombe',
  'Tanglewater',
  'Wickersham-Doe',
  'Plumtree',
]

/** Accounts of organizations and projects, each with the keyword of its topic. */
const pages = {
  'The Slow Compiler': 'typescript',
  'Patch Tuesday Choir': 'opensource',
  'Kettle & Commit': 'typescript',
  'The Tidy Query': 'databases',
  'Perfectly Average Models': 'ai',
  'Small Teams Club': 'startups',
  'Muted Mics': 'remotework',
  'Harbour Bean Notes': 'coffee',
  'The Green Street Log': 'climate',
  'Weather on Mill Lane': 'climate',
  'Row F Regulars': 'football',
  'Night Train Diary': 'travel',
  'Basement Frequencies': 'music',
  'Cellar Door Reads': 'books',
  'Unread Shelf': 'books',
  'Backyard Saturn': 'space',
  'Two Wheels North': 'cycling',
  'Spoon & Ladle Weekly': 'cooking',
  'Allotment 47': 'gardening',
}

const suffixes = ['', '_writes', '_says', '_hq', '_fm', '_out_loud', '_irl', '_notes', '_daily']

/** Makes up the people of one corpus, each with a unique handle. The first ones write most posts. */
export function createAuthors(random: Random): Author[] {
  const authors = new Map<string, Author>()
  for (const [name, keyword] of Object.entries(pages)) {
    const interests = english.topics.filter((topic) => topic.keyword === keyword)
    add(name, english, slug(name.replace(/^The /, '')), interests)
  }
  while (authors.size < authorCount) {
    const language = random.weighted(languages)
    const first = random.pick(language.firstNames)
    const surname = random.pick(surnames)
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
      : `${short}_${long.slice(0, 1)}${random.pick(suffixes)}`
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
function slug(name: string): string {
  return name
    .normalize('NFD')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '')
}

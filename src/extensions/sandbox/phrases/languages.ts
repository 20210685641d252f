import about from './about.json' with { type: 'json' }
import german from './de.json' with { type: 'json' }
import englishPhrases from './en.json' with { type: 'json' }
import japanese from './ja.json' with { type: 'json' }

/** Fragments that posts on one topic are put together from. */
export interface Topic {
  /** Word that every original post on the topic holds, in its text or as a hashtag. */
  readonly keyword: string
  /** How often the topic comes up, relative to the others of its language. */
  readonly weight: number
  /** Further hashtags, without the `#`. */
  readonly hashtags: readonly string[]
  /** Choices for each `{name}` in a line; `thing` also goes into replies. `{2-9}` in a line is a number. */
  readonly slots: Readonly<Record<string, readonly string[]>> & { readonly thing: readonly string[] }
  readonly lines: readonly string[]
}

/** What posts of one language have in common, on any topic. */
export interface Phrases {
  readonly lang: string
  /** Share of all posts, relative to the other languages. */
  readonly weight: number
  readonly topics: readonly Topic[]
  readonly openers: readonly string[]
  readonly closers: readonly string[]
  /** Lines that follow `@handle`, with `{thing}`. */
  readonly replies: readonly string[]
  /** Words that lead to a link. */
  readonly linkLeads: readonly string[]
  /** Ways to name another account, with `{handle}`. */
  readonly mentions: readonly string[]
  readonly firstNames: readonly string[]
}

export const english: Phrases = englishPhrases

export const languages: readonly Phrases[] = [english, german, japanese]

/** A query with this word has no results, for tests of empty results. */
const nothing = /\bnothing\b/i

/** The topic of comments on posts from a test. */
export const anything = aboutThing('this')

/** The topic of a query; null for a query without results. */
export function topicAbout(query: string): Topic | null {
  const words = query.match(/[\p{L}\p{M}\p{N}_']+/gu) ?? []
  if (words.length === 0 || nothing.test(query)) return null
  const known = english.topics.find(({ keyword }) => keyword === query.trim().toLowerCase())
  return known ?? aboutThing(words.join(' '))
}

function aboutThing(thing: string): Topic {
  const keyword = thing.toLowerCase().replaceAll(/[ ']/g, '')
  return { ...about, keyword, weight: 1, slots: { thing: [thing], ...about.slots } }
}

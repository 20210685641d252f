import phrases from './phrases.json' with { type: 'json' }

/** Fragments that posts on one topic are put together from. */
export interface Topic {
  /** Word that every post on the topic holds, in its text or as a hashtag. */
  readonly keyword: string
  /** Further hashtags, without the `#`. */
  readonly hashtags: readonly string[]
  /** Choices for each `{name}` in a line; `thing` also goes into replies. `{2-9}` in a line is a number. */
  readonly slots: Readonly<Record<string, readonly string[]>> & { readonly thing: readonly string[] }
  readonly lines: readonly string[]
}

export const topics: readonly Topic[] = phrases.topics

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
  const keyword = thing.toLowerCase().replaceAll(/[ ']/g, '')
  return { ...phrases.about, keyword, slots: { thing: [thing], ...phrases.about.slots } }
}

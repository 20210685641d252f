import about from './about.json' with { type: 'json' }
import { type Topic, english } from './languages.ts'

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

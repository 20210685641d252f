import type { Topic } from './languages.ts'

/** A query with this word has no results, for tests of empty results. */
const nothing = /\bnothing\b/i

/** A topic for a query that no post matches; null for a query without results. */
export function topicAbout(query: string): Topic | null {
  const words = query.match(/[\p{L}\p{M}\p{N}_']+/gu) ?? []
  if (words.length === 0 || nothing.test(query)) return null
  const thing = words.join(' ')
  return {
    keyword: words.join('').toLowerCase().replaceAll("'", ''),
    weight: 1,
    hashtags: ['news', 'review', 'launchday', 'askme', 'worthreading'],
    slots: {
      thing: [thing],
      place: ['at work', 'in our team', 'at the meetup', 'in the newsletter', 'on the train this morning'],
      view: [
        'better than I expected',
        'not for everybody',
        'worth the wait',
        'harder than it looks',
        'the talk of the week',
      ],
    },
    lines: [
      '{^thing} is {view}.',
      'We talked about {thing} for {15-90} minutes {place}. It is {view}.',
      'Has anybody tried {thing}? It looks {view}.',
      '{2-30} days with {thing}, and it is {view}.',
      'Everybody {place} asks me about {thing} now.',
      'I was wrong about {thing}: {view}.',
      'Notes on {thing}, part {2-9}: what works, what does not, and what it costs.',
      'Somebody mentioned {thing} {place}, and {2-40} people raised a hand.',
      'The {2-9} things that I wish I had known about {thing}.',
    ],
  }
}

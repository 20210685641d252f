import { composeOriginal, composeReply } from './compose-post.ts'
import { longTail } from './authors.ts'
import names from './names.json' with { type: 'json' }
import { pageOf } from './pages.ts'
import { linksIn } from './index-post.ts'
import { Params } from './params.ts'
import { topicAbout } from './phrases/about.ts'
import { type Topic, english, techTopics } from './phrases/languages.ts'
import type { Random } from './random.ts'
import { type Draft, type Make, idAt, makeUp } from './series.ts'
import type { Shelf } from './shelf.ts'
import { normalize } from './match-words.ts'

/** A story or a comment. Its fields are made up: the service documents none. */
export interface IndexedStory {
  readonly post: { readonly type?: unknown }
  /** Time of the post, in milliseconds since 1970. */
  readonly at: number
  readonly words: string
}

const authors = names.surnames.map((name) => ({ handle: name.toLowerCase().replaceAll('-', '') }))
const pageSize = 20
const types = ['story', 'comment'] as const

const make: Make<IndexedStory> = (random, times, { query }) => {
  const topic = topicAbout(query)
  const stories: { readonly time: number; readonly serial: number }[] = []
  // Begin with the oldest, so that comments come after their stories.
  return times
    .toReversed()
    .map((time, index) => {
      const serial = topic === null ? index : random.integer(100_000, 999_999)
      const story = topic === null && stories.length > 0 && random.chance(0.6) ? random.pick(stories) : null
      if (story !== null) return comment(random, serial, (at) => idAt(at - time + story.time, story.serial))
      stories.push({ time, serial })
      return makeStory(random, serial, topic ?? random.weighted(techTopics))
    })
    .reverse()
}

/** How stories and comments are made up. */
export const technewsPosts = makeUp('technews', make, [8, 45])

/**
 * Searches stories and comments. Request and response are made up. It takes `query`, `cursor`, `count` up to 20 and `type`
 * (`story` or `comment`), and returns `posts` and the `meta` of the documented search by cursor.
 */
export function searchTechnews(shelf: Shelf<IndexedStory>, corpusId: string, input: unknown) {
  const params = new Params(input)
  const query = params.requiredText('query')
  const type = params.choice('type', types)
  const search = ['technews', corpusId, query, type]
  const request = { ...params.page('count', pageSize), search, now: shelf.now() }
  const { page, meta } = pageOf(request, (moment) =>
    shelf.find(query, moment).filter(({ post }) => type === undefined || post.type === type),
  )
  return { posts: page.map(({ post }) => post), meta }
}

function makeStory(random: Random, serial: number, topic: Topic): Draft<IndexedStory> {
  const body = composeOriginal(random, [topic], authors)
  const title = linksIn(body).reduce((text, link) => text.replace(` ${link}`, ''), body)
  const points = longTail(random, 12)
  const commentCount = Math.floor(points * random.next())
  return finish(random, serial, { type: 'story', title, text: null, points, commentCount }, () => null)
}

function comment(random: Random, serial: number, storyIdAt: (at: number) => string): Draft<IndexedStory> {
  const topic = random.weighted(techTopics)
  const text = `${composeReply(random, english, topic)} #${topic.keyword}`
  const points = random.integer(0, 40)
  return finish(random, serial, { type: 'comment', title: null, text, points, commentCount: 0 }, storyIdAt)
}

function finish(
  random: Random,
  serial: number,
  made: {
    type: 'story' | 'comment'
    title: string | null
    text: string | null
    points: number
    commentCount: number
  },
  storyIdAt: (at: number) => string | null,
): Draft<IndexedStory> {
  const author = random.pick(authors).handle + String(random.integer(1, 99))
  const words = normalize(`${made.title ?? made.text ?? ''}\n${author}`)
  return (at) => {
    const id = idAt(at, serial)
    const [url, timestamp] = [`https://technews.example/item/${id}`, new Date(at).toISOString()]
    const post = { id, url, author, timestamp, ...made, storyId: storyIdAt(at) }
    return { post, at, words }
  }
}

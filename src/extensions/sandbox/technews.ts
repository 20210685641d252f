import { composeOriginal, composeReply } from './compose-post.ts'
import { longTail } from './authors.ts'
import names from './names.json' with { type: 'json' }
import { pageOf } from './pages.ts'
import { pageIn, requiredText, textIn } from './params.ts'
import { type Topic, english, topicAbout } from './phrases/languages.ts'
import type { Random } from './random.ts'
import { type Make, idAt, makeUp } from './series.ts'
import type { PostStore } from './post-store.ts'
import { normalize } from './match-words.ts'

/** A story or a comment. Its fields are made up: the service documents none. */
export interface IndexedStory {
  readonly post: { readonly type?: unknown }
  /** Time of the post, in milliseconds since 1970. */
  readonly at: number
  readonly words: string
}

const authors = names.surnames.map((name) => ({ handle: name.toLowerCase().replaceAll('-', '') }))
const techTopics = english.topics.filter(({ keyword }) =>
  ['typescript', 'opensource', 'databases', 'ai'].includes(keyword),
)
const pageSize = 20

const make: Make<IndexedStory> = (random, at, { query }) => {
  const topic = topicAbout(query)
  const isStory = topic !== null || random.chance(0.4)
  const made = isStory ? makeStory(random, topic ?? random.weighted(techTopics)) : makeComment(random)
  const author = random.pick(authors).handle + String(random.integer(1, 99))
  const id = idAt(random, at)
  const [url, timestamp] = [`https://technews.example/item/${id}`, new Date(at).toISOString()]
  const words = normalize(`${made.title ?? made.text}\n${author}`)
  return { post: { id, url, author, timestamp, ...made }, at, words }
}

/** How stories and comments are made up. */
export const technewsPosts = makeUp('technews', make, [8, 45])

/**
 * Searches stories and comments. Request and response are made up. It takes `query`, `cursor`, `count` up to 20 and `type`
 * (`story` or `comment`), and returns `posts` and the `meta` of the documented search by cursor.
 */
export function searchTechnews(store: PostStore<IndexedStory>, corpusId: string, input: unknown) {
  const query = requiredText(input, 'query')
  const type = textIn(input, 'type')
  const search = ['technews', corpusId, query, type]
  const request = { ...pageIn(input, pageSize), search, now: store.now() }
  const { page, meta } = pageOf(
    request,
    (moment) => store.find(query, moment),
    ({ post }) => type === undefined || post.type === type,
  )
  return { posts: page.map(({ post }) => post), meta }
}

function makeStory(random: Random, topic: Topic) {
  const title = composeOriginal(random, [topic], authors).replaceAll(/ https?:\/\/\S+/g, '')
  const points = longTail(random, 12)
  return { type: 'story', title, text: null, points, commentCount: Math.floor(points * random.next()) }
}

function makeComment(random: Random) {
  const topic = random.weighted(techTopics)
  const text = `${composeReply(random, topic)} #${topic.keyword}`
  return { type: 'comment', title: null, text, points: random.integer(0, 40), commentCount: 0 }
}

import type { Outcome } from './responses.ts'
import { composeOriginal, composeReply } from './compose-post.ts'
import { longTail } from './authors.ts'
import names from './names.json' with { type: 'json' }
import { newest } from './corpus.ts'
import { pageFrom, startOf } from './pages.ts'
import { linksIn } from './index-post.ts'
import { createParams } from './params.ts'
import { topicAbout } from './phrases/about.ts'
import { english, techTopics } from './phrases/languages.ts'
import { type Random, createRandom } from './random.ts'
import { memoizeLatest } from './memoize-latest.ts'
import { containsAll, normalize } from './match-words.ts'

/** A story or a comment. Its fields are made up: the service documents none. */
interface TechnewsPost {
  readonly id: string
  readonly type: 'story' | 'comment'
  /** Null for a comment. */
  readonly title: string | null
  /** Null for a story. */
  readonly text: string | null
  readonly url: string
  readonly author: string
  readonly points: number
  readonly commentCount: number
  readonly timestamp: string
  /** The story that a comment is on. */
  readonly storyId: string | null
}

/** A story or a comment, made up or from a test. */
export interface IndexedStory {
  readonly post: { readonly type?: unknown }
  readonly words: string
}

interface MadeUpStory extends IndexedStory {
  readonly post: TechnewsPost
}

const authors = names.surnames.map((name) => ({ handle: name.toLowerCase().replaceAll('-', '') }))
const pageSize = 20
const types = ['story', 'comment'] as const

/** Returns stories and comments, newest first; `size` is the number of microblog posts, of which there is a fifth. */
const storiesOf = memoizeLatest((seed, size): readonly MadeUpStory[] => {
  const random = createRandom(`${seed}/technews`)
  const count = Math.ceil(size / 5)
  let at = newest
  const posts: MadeUpStory[] = []
  // Begin with the oldest, so that comments come after their stories.
  for (let serial = 1; serial <= count; serial++) {
    const story = posts.length === 0 ? undefined : random.pick(posts)
    posts.push(
      random.chance(0.4) || story === undefined ? makeStory(random, serial) : comment(random, serial, story),
    )
  }
  return posts.reverse().map(({ post, words }) => {
    at -= 1000 * random.integer(60, 9000)
    return { post: { ...post, timestamp: new Date(at).toISOString() }, words }
  })
})

/**
 * Searches stories and comments: made-up ones, or those of a test. Request and response are made up, too. It takes `query`,
 * `cursor`, `count` up to 20 and `type` (`story` or `comment`), and returns `posts` and the `meta` of the documented search by
 * cursor.
 */
export function searchTechnews(
  seed: number,
  size: number,
  own: readonly IndexedStory[] | null,
  input: unknown,
): Outcome {
  const params = createParams(input)
  const query = params.requiredText('query')
  const count = params.count('count', pageSize)
  const type = params.choice('type', types)
  const search = JSON.stringify(['technews', own === null ? [seed, size] : 'own', query, type])
  const offset = startOf(params.text('cursor'), search, params.issues)
  if (params.issues.length > 0) return { issues: params.issues }

  const matches = containsAll(query)
  const stories: readonly IndexedStory[] = own ?? storiesOf(seed, size)
  const isKnown = own !== null || size === 0 || stories.some(({ words }) => matches(words))
  const corpus = isKnown ? stories : storiesAbout(query, seed)
  const found = corpus.filter(
    ({ post, words }) => matches(words) && (type === undefined || post.type === type),
  )
  const { page, meta } = pageFrom(found, { offset, count, search })
  return { body: { posts: page.map(({ post }) => post), meta } }
}

/** Makes up stories about a query that no other story matches, newest first. */
function storiesAbout(query: string, seed: number): MadeUpStory[] {
  const topic = topicAbout(query)
  if (topic === null) return []
  const random = createRandom(`${seed}/stories about ${topic.keyword}`)
  let at = newest
  return Array.from({ length: random.integer(8, 45) }, () => {
    at -= 1000 * random.integer(60, 90_000)
    const { post, words } = makeStory(random, random.integer(1_000_000, 9_999_999), topic)
    return { post: { ...post, timestamp: new Date(at).toISOString() }, words }
  })
}

function makeStory(random: Random, serial: number, topic = random.weighted(techTopics)): MadeUpStory {
  const body = composeOriginal(random, [topic], authors)
  const title = linksIn(body).reduce((text, link) => text.replace(` ${link}`, ''), body)
  const points = longTail(random, 12)
  return finish(random, serial, {
    type: 'story',
    title,
    text: null,
    points,
    commentCount: Math.floor(points * random.next()),
    storyId: null,
  })
}

function comment(random: Random, serial: number, { post }: MadeUpStory): MadeUpStory {
  const topic = random.weighted(techTopics)
  return finish(random, serial, {
    type: 'comment',
    title: null,
    text: `${composeReply(random, english, topic)} #${topic.keyword}`,
    points: random.integer(0, 40),
    commentCount: 0,
    storyId: post.storyId ?? post.id,
  })
}

function finish(
  random: Random,
  serial: number,
  made: Omit<TechnewsPost, 'id' | 'url' | 'author' | 'timestamp'>,
): MadeUpStory {
  const id = String(40_000_000 + 37 * serial)
  const author = random.pick(authors).handle + String(random.integer(1, 99))
  const post = { id, url: `https://technews.example/item/${id}`, author, timestamp: '', ...made }
  return { post, words: normalize(`${made.title ?? made.text ?? ''}\n${author}`) }
}

import type { MicroblogEngagements } from '../api/microblog.ts'
import { type Author, createAuthors, longTail } from './authors.ts'
import { compose } from './compose-post.ts'
import { type IndexedPost, indexPost } from './index-post.ts'
import { memoizeLatest } from './memoize-latest.ts'
import { type Random, createRandom } from './random.ts'
import { english, languages } from './phrases/languages.ts'
import { topicAbout } from './phrases/about.ts'

/** When the newest post was written. Fixed, so that the same seed gives the same posts on any day. */
export const newest = Date.UTC(2026, 10, 20, 18)
const spanSeconds = 120 * 24 * 60 * 60

/** Returns made-up posts, newest first. The same seed and size give the same posts, byte for byte. */
export const corpusOf: (seed: number, size: number) => readonly IndexedPost[] = memoizeLatest(createCorpus)

function createCorpus(seed: number, size: number): IndexedPost[] {
  const random = createRandom(`${seed}/posts`)
  const authors = createAuthors(random)
  const byLanguage = new Map(
    languages.map((language) => [language, authors.filter((author) => author.language === language)]),
  )
  const seen = new Set<string>()
  const gap = Math.floor((2 * spanSeconds) / Math.max(size, 1))
  let at = newest

  return Array.from({ length: size }, (_, index) => {
    if (index > 0) at -= 1000 * random.integer(1, Math.max(1, gap))
    const author = frequent(random, byLanguage.get(random.weighted(languages)) ?? authors)
    let body = compose(random, author, authors)
    for (let tries = 0; tries < 8 && seen.has(body); tries++) body = compose(random, author, authors)
    seen.add(body)
    return finish(random, author, body, at, size - index)
  })
}

/** Makes up posts about a query that no other post matches, newest first. The same seed and query give the same posts. */
export function postsAbout(query: string, seed: number): IndexedPost[] {
  const topic = topicAbout(query)
  if (topic === null) return []
  const random = createRandom(`${seed}/posts about ${topic.keyword}`)
  const authors = createAuthors(random).filter(({ language }) => language === english)
  const about = { language: { ...english, topics: [topic] }, interests: [topic] }
  const count = random.integer(25, 90)
  let at = newest
  return Array.from({ length: count }, () => {
    at -= 1000 * random.integer(60, 80_000)
    const author = frequent(random, authors)
    // Posts of two queries may have the same time.
    return finish(random, author, compose(random, about, authors), at, random.integer(100_000, 999_999))
  })
}

/** A few people write most of the posts. */
function frequent(random: Random, authors: readonly Author[]): Author {
  const rank = Math.floor(authors.length * random.next() * random.next())
  return authors[rank] ?? random.pick(authors)
}

function finish(random: Random, author: Author, body: string, at: number, serial: number): IndexedPost {
  const id = `${at / 1000}${String(serial).padStart(6, '0')}`
  const isReply = body.startsWith('@')
  const engagements = engage(random, author, isReply)
  const { handle, name, language } = author
  const post = {
    id,
    body,
    author: handle,
    name,
    timestamp: new Date(at).toISOString(),
    url: `https://microblog.example/${handle}/status/${id}`,
    ...media(random, isReply),
    engagements,
  }
  return indexPost(post, at, language.lang)
}

function media(random: Random, isReply: boolean): { images: string[]; video: string | null } {
  const hasVideo = random.chance(isReply ? 0.02 : 0.07)
  const hasImages = random.chance(hasVideo ? 0.1 : isReply ? 0.06 : 0.24)
  const count = hasImages ? random.pick([1, 1, 1, 2, 2, 3, 4]) : 0
  return {
    images: Array.from(
      { length: count },
      () => `https://media.microblog.example/photo/${random.hex(12)}.jpg`,
    ),
    video: hasVideo ? `https://media.microblog.example/video/${random.hex(12)}.mp4` : null,
  }
}

function engage(random: Random, author: Author, isReply: boolean): MicroblogEngagements {
  const viewsCount = longTail(random, isReply ? author.reach / 6 : author.reach) + random.integer(3, 40)
  const share = (of: number, max: number): number => Math.floor(of * max * random.next())
  const favoriteCount = share(viewsCount, 0.07)
  const retweetCount = share(favoriteCount, 0.3)
  return {
    bookmarkCount: share(favoriteCount, 0.25),
    favoriteCount,
    quoteCount: share(retweetCount, 0.3),
    replyCount: share(favoriteCount, 0.22),
    retweetCount,
    viewsCount,
  }
}

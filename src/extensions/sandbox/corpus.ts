import type { MicroblogEngagements } from '../../api/microblog.ts'
import { type Author, createAuthors, longTail } from './authors.ts'
import { compose, composeOriginal } from './compose-post.ts'
import { type IndexedPost, indexPost } from './index-post.ts'
import { memoizeLatest } from './memoize-latest.ts'
import { english, languages, topicAbout } from './phrases/languages.ts'
import { type Random, createRandom } from './random.ts'
import { type Make, idAt, makeUp } from './series.ts'

const authorsOf = memoizeLatest((seed: number) => {
  const authors = createAuthors(createRandom(`${seed}/authors`))
  const speakers = new Map(
    languages.map((language) => [language, authors.filter((author) => author.language === language)]),
  )
  return { authors, speakers }
})

const make: Make<IndexedPost> = (random, at, { seed, query }) => {
  const { authors, speakers } = authorsOf(seed)
  const topic = topicAbout(query)
  const language = topic === null ? random.weighted(languages) : english
  const author = random.pick(speakers.get(language) ?? authors)
  const body = topic === null ? compose(random, author, authors) : composeOriginal(random, [topic], authors)
  const isReply = body.startsWith('@')
  const id = idAt(random, at)
  const post = {
    ...{ id, body, author: author.handle, name: author.name, timestamp: new Date(at).toISOString() },
    url: `https://microblog.example/${author.handle}/status/${id}`,
    ...media(random, isReply),
    engagements: engage(random, author, isReply),
  }
  return indexPost(post, at, author.language.lang)
}

/** How microblog posts are made up. */
export const microblogPosts = makeUp('posts', make, [25, 90])

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

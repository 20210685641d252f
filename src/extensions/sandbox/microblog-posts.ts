import type { MicroblogEngagements } from '../../api/endpoints/microblog.ts'
import { composePost, people, topicAbout, topics } from './compose-post.ts'
import { type IndexedPost, indexPost, pageOfPost } from './post-index.ts'
import type { Random } from './random.ts'
import { type Make, idAt, makeUp } from './post-store.ts'

/** Makes up a post or a reply. */
export const makePost: Make<IndexedPost> = (random, at, query) => {
  const { handle: author, name } = random.pick(people)
  const body = composePost(random, topicAbout(query) ?? random.pick(topics), 0.18)
  const id = idAt(random, at)
  const timestamp = new Date(at).toISOString()
  const url = pageOfPost(author, id)
  const post = { id, body, author, name, timestamp, url, ...media(random), engagements: engage(random) }
  return indexPost(post, at, 'en')
}

/** How microblog posts are made up. */
export const microblogPosts = makeUp('timeline', makePost)

/** How tech news are made up. */
export const technewsPosts = makeUp('technews', makePost)

function media(random: Random): { images: string[]; video: string | null } {
  const url = (file: string) => `https://media.microblog.example/${file.replace('*', random.hex(12))}`
  const count = random.chance(0.2) ? random.pick([1, 1, 1, 2, 2, 3, 4]) : 0
  return {
    images: Array.from({ length: count }, () => url('photo/*.jpg')),
    video: random.chance(0.06) ? url('video/*.mp4') : null,
  }
}

function engage(random: Random): MicroblogEngagements {
  const viewsCount = random.longTail(300) + random.integer(3, 40)
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

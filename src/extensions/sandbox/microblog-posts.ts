import type { MicroblogEngagements } from '../../api/microblog.ts'
import { composePost, composeReply } from './compose-post.ts'
import { type IndexedPost, indexPost } from './index-post.ts'
import { castOf } from './people.ts'
import { topicAbout } from './phrases/languages.ts'
import type { Random } from './random.ts'
import { type Make, idAt, makeUp } from './series.ts'

/** Makes up a post: in English about a query, or in the language of its author about what interests them. */
export const makePost: Make<IndexedPost> = (random, at, { seed, query }) => {
  const { people, members } = castOf(seed)
  const asked = topicAbout(query)
  const author = random.pick(asked === null ? people : members)
  const topic = asked ?? random.pick(author.interests)
  const isReply = asked === null && random.chance(0.18)
  const hashtag = random.chance(0.25) ? ` #${topic.keyword}` : ''
  const body = isReply
    ? `@${random.pick(people).handle} ${composeReply(random, author.language, topic)}${hashtag}`
    : composePost(random, author.language, topic, people)
  const id = idAt(random, at)
  const post = {
    ...{ id, body, author: author.handle, name: author.name, timestamp: new Date(at).toISOString() },
    url: `https://microblog.example/${author.handle}/status/${id}`,
    ...media(random),
    engagements: engage(random, isReply ? 60 : 360),
  }
  return indexPost(post, at, author.language.lang)
}

/** How microblog posts are made up. */
export const microblogPosts = makeUp('timeline', makePost, [25, 90])

function media(random: Random): { images: string[]; video: string | null } {
  const url = (file: string) => `https://media.microblog.example/${file.replace('*', random.hex(12))}`
  const count = random.chance(0.2) ? random.pick([1, 1, 1, 2, 2, 3, 4]) : 0
  return {
    images: Array.from({ length: count }, () => url('photo/*.jpg')),
    video: random.chance(0.06) ? url('video/*.mp4') : null,
  }
}

function engage(random: Random, typicalViews: number): MicroblogEngagements {
  const viewsCount = random.longTail(typicalViews) + random.integer(3, 40)
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

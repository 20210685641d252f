import {
  type ProfessionalnetComment,
  type ProfessionalnetPostsCommentsBody,
  type ProfessionalnetPostsCommentsParams,
  postComments,
} from '../../api/professionalnet/comments.ts'
import type { Outcome } from '../responses.ts'
import { composeReply } from '../compose-post.ts'
import { english } from '../phrases/languages.ts'
import { createRandom, hash } from '../random.ts'
import { creditsCharged } from '../credits-charged.ts'
import { findPost } from './lookup.ts'
import type { Network, NetworkPost } from './network.ts'
import { defaultMaxComments } from '../../api/limits.ts'

/** Fetches the comments on a post, oldest first. One post in five does not report how many it has. */
export function commentsOn(
  network: Network,
  { postUrl, maxComments = defaultMaxComments }: ProfessionalnetPostsCommentsParams,
): Outcome<Omit<ProfessionalnetPostsCommentsBody, 'requestId'>> {
  const post = findPost(network, postUrl)
  if (post === undefined) return { missing: `No post at ${postUrl}` }

  const total = post.post.social_details.numComments
  const comments = createComments(network, post, Math.min(total, maxComments))
  return {
    body: {
      comments,
      meta: {
        returnedCount: comments.length,
        ...(hash(post.activity) % 5 > 0 && { total }),
        creditsCharged: creditsCharged(postComments, { comments }),
      },
    },
  }
}

/** Makes up the first comments. The same post always has the same comments. */
function createComments(
  { seed, people }: Network,
  { post, activity, at, topic }: NetworkPost,
  count: number,
) {
  const random = createRandom(`${seed}/comments/${activity}`)
  let time = at
  return Array.from({ length: count }, (): ProfessionalnetComment => {
    const { url, name, headline } = random.pick(people)
    time += 1000 * random.integer(20, 3000)
    return {
      profileUrl: url,
      authorName: name,
      authorHeadline: headline,
      text: composeReply(random, english, topic),
      timestamp: new Date(time).toISOString(),
      permalink: `${post.share_url}?comment=${time / 1000}${random.hex(4)}`,
    }
  })
}

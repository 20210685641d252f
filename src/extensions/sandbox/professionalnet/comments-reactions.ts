import { defaultMaxComments } from '../../../api/limits.ts'
import {
  type ProfessionalnetComment,
  type ProfessionalnetPostsCommentsParams,
  postComments,
} from '../../../api/professionalnet/comments.ts'
import { postReactions } from '../../../api/professionalnet/reactions.ts'
import { composeReply } from '../compose-post.ts'
import { pageOf } from '../pages.ts'
import { pageIn, requiredText } from '../params.ts'
import { createRandom, hash } from '../random.ts'
import { SandboxError } from '../responses.ts'
import { membersOf } from './members.ts'
import type { Network, NetworkPost } from './network.ts'

/** Most reactions in one answer. */
const maxReactions = 100

/**
 * Fetches the comments on a post, oldest first; the same post always has the same ones. Those that a new post would get
 * later are of now. One post in five does not report how many it has.
 */
export function commentsOn(
  network: Network,
  { postUrl, maxComments = defaultMaxComments }: ProfessionalnetPostsCommentsParams,
) {
  const { post, activity, at, topic } = findPost(network, postUrl)
  const { people } = membersOf(network.seed)
  const random = createRandom(`${network.seed}/comments/${activity}`)
  const total = post.social_details.numComments
  const returnedCount = Math.min(total, maxComments)
  const now = network.store.now().at
  let time = at
  const comments = Array.from({ length: returnedCount }, (): ProfessionalnetComment => {
    const { url, name, headline } = random.pick(people)
    time += 1000 * random.integer(20, 3000)
    return {
      profileUrl: url,
      authorName: name,
      authorHeadline: headline,
      text: composeReply(random, topic),
      timestamp: new Date(Math.min(time, now)).toISOString(),
      permalink: `${post.share_url}?comment=${time / 1000}${random.hex(4)}`,
    }
  })
  const creditsCharged = returnedCount * postComments.price.credits
  return { comments, meta: { returnedCount, ...(hash(activity) % 5 > 0 && { total }), creditsCharged } }
}

/**
 * Fetches the reactions on a post. Request and response are made up: the service documents neither. It takes `postUrl`,
 * `cursor` and `count`, and answers with `reactions` and the `meta` of a search by cursor, with the credits charged.
 */
export function reactionsOn(network: Network, input: unknown) {
  const postUrl = requiredText(input, 'postUrl')
  const request = { ...pageIn(input, maxReactions), search: ['reactions', network.seed, postUrl] }
  const { page: reactions, meta } = pageOf(request, () => {
    const { post, activity } = findPost(network, postUrl)
    const { people } = membersOf(network.seed)
    const random = createRandom(`${network.seed}/reactions/${activity}`)
    return post.social_details.reactionTypeCounts.flatMap(({ type, count }) =>
      Array.from({ length: count }, () => {
        const { urn, name, headline, url } = random.pick(people)
        return { type, actorUrn: urn, actorName: name, actorHeadline: headline, profileUrl: url }
      }),
    )
  })
  return { reactions, meta: { ...meta, creditsCharged: reactions.length * postReactions.price.credits } }
}

/** Finds a post by its URL, or by any text with its activity, such as a URN. */
function findPost({ store, found }: Network, url: string): NetworkPost {
  const number = /activity(?::|%3a|-)(\d+)/i.exec(url)?.[1] ?? ''
  const posts = [...found.values(), ...store.all(store.now())]
  const post = posts.find(({ activity, post }) => activity === number || post.share_url === url)
  if (post === undefined) throw new SandboxError(404, { message: `No post at ${url}` })
  return post
}

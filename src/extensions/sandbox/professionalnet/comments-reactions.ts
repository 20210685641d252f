import { defaultMaxComments } from '../../../api/limits.ts'
import {
  type ProfessionalnetComment,
  type ProfessionalnetPostsCommentsParams,
  postComments,
} from '../../../api/endpoints/professionalnet/comments.ts'
import { postReactions } from '../../../api/endpoints/professionalnet/reactions.ts'
import { type Author, people } from '../cast.ts'
import { fill } from '../compose-post.ts'
import { pageOf } from '../pages.ts'
import { pageIn, requiredText } from '../params.ts'
import phrases from '../phrases.json' with { type: 'json' }
import { type Random, createRandom, hash } from '../random.ts'
import { SandboxError } from '../responses.ts'
import type { Network, NetworkPost } from './network.ts'

/**
 * Fetches the comments on a post, oldest first; the same post always has the same ones. Those that a new post would get
 * later are of now. One post in five does not report how many it has.
 */
export function commentsOn(
  network: Network,
  { postUrl, maxComments = defaultMaxComments }: ProfessionalnetPostsCommentsParams,
) {
  const found = findPost(network, postUrl)
  const { urn, social_details } = found.post
  const random = createRandom(`${network.seed}/comments/${urn}`)
  const total = social_details.numComments
  const returnedCount = Math.min(total, maxComments)
  const now = network.store.now().at
  let delay = 0
  const comments = Array.from({ length: returnedCount }, () => {
    delay += 1000 * random.integer(20, 3000)
    return commentBy(random, random.pick(people), found, delay, now)
  })
  const creditsCharged = returnedCount * postComments.price.credits
  return { comments, meta: { returnedCount, ...(hash(urn) % 5 > 0 && { total }), creditsCharged } }
}

/** Makes up a comment on a post. It is later than the post, and not in the future. */
export function commentBy(
  random: Random,
  { name, profile }: Author,
  { post, at, topic }: NetworkPost,
  delay: number,
  now: number,
): ProfessionalnetComment {
  return {
    profileUrl: profile.url,
    authorName: name,
    authorHeadline: profile.headline,
    text: fill(random, topic, random.pick(phrases.replies)),
    timestamp: new Date(Math.min(at + delay, now)).toISOString(),
    permalink: `${post.share_url}?comment=${random.hex(16)}`,
  }
}

/**
 * Fetches the reactions on a post. Request and response are made up: the service documents neither. It takes `postUrl`,
 * `cursor` and `count` up to 100, and answers with `reactions` and the `meta` of a search by cursor, with the credits charged.
 */
export function reactionsOn(network: Network, input: unknown) {
  const postUrl = requiredText(input, 'postUrl')
  const request = { ...pageIn(input, 100), search: ['reactions', network.seed, postUrl] }
  const { page: reactions, meta } = pageOf(request, () => {
    const { post } = findPost(network, postUrl)
    let next = createRandom(`${network.seed}/reactions/${post.urn}`).integer(0, people.length - 1)
    return post.social_details.reactionTypeCounts.flatMap(({ type, count }) =>
      Array.from({ length: count }, () => {
        // A step of 101 meets each of the 240 people before one comes again.
        next = (next + 101) % people.length
        const { name, profile } = people[next] ?? { name: '', profile: { urn: '', url: '' } }
        return { type, actorUrn: profile.urn, actorName: name, profileUrl: profile.url }
      }),
    )
  })
  return { reactions, meta: { ...meta, creditsCharged: reactions.length * postReactions.price.credits } }
}

/** Finds a post by its URL, or by any text with its activity, such as a URN. */
function findPost({ store, found }: Network, url: string): NetworkPost {
  const number = /activity(?::|%3a|-)(\d+)/i.exec(url)?.[1] ?? ''
  const posts = [...found.values(), ...store.all(store.now())]
  const post = posts.find(({ post }) => post.share_url === url || post.urn.split(':').at(-1) === number)
  if (post === undefined) throw new SandboxError(404, { message: `No post at ${url}` })
  return post
}

import { postReactions } from '../../api/professionalnet/reactions.ts'
import type { Outcome } from '../responses.ts'
import { creditsCharged } from '../credits-charged.ts'
import { pageFrom, startOf } from '../pages.ts'
import { createParams } from '../params.ts'
import { createRandom } from '../random.ts'
import { findPost } from './lookup.ts'
import type { Network } from './network.ts'

/** Most reactions in one answer. */
const maxReactions = 100

/**
 * Fetches the reactions on a post. Request and response are made up: the service documents neither. It takes `postUrl`,
 * `cursor` and `count`, and answers with `reactions` and the `meta` of a search by cursor, with the credits charged.
 */
export function reactionsOn(network: Network, input: unknown): Outcome {
  const params = createParams(input)
  const postUrl = params.requiredText('postUrl')
  const count = params.count('count', maxReactions)
  const search = JSON.stringify(['reactions', network.seed, postUrl])
  const start = startOf(params.text('cursor'), search, params.issues)
  if (params.issues.length > 0) return { issues: params.issues }

  const post = findPost(network, postUrl)
  if (post === undefined) return { missing: `No post at ${postUrl}` }

  const random = createRandom(`${network.seed}/reactions/${post.activity}`)
  const all = post.post.social_details.reactionTypeCounts.flatMap(({ type, count }) =>
    Array.from({ length: count }, () => ({ type, person: random.pick(network.people) })),
  )
  const { page, meta } = pageFrom(all, { start, count, search })
  const reactions = page.map(({ type, person: { urn, name, headline, url } }) => ({
    type,
    actorUrn: urn,
    actorName: name,
    actorHeadline: headline,
    profileUrl: url,
  }))
  return {
    body: { reactions, meta: { ...meta, creditsCharged: creditsCharged(postReactions, { reactions }) } },
  }
}

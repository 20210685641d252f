import type { ProfessionalnetPost } from '../../../api/endpoints/professionalnet/posts.ts'
import { type Author, companyPages, people } from '../cast.ts'
import { composePost, fill } from '../compose-post.ts'
import { normalize } from '../match-words.ts'
import type { PostStore } from '../post-store.ts'
import type { Random } from '../random.ts'
import { type Age, type Make, growing, idAt, makeUp } from '../series.ts'
import { type Topic, topicAbout, topics } from '../topics.ts'
import components from './components.json' with { type: 'json' }

/** A post, with data for searches that the service does not send. */
export interface NetworkPost {
  readonly post: ProfessionalnetPost
  /** Time of the post, in milliseconds since 1970. */
  readonly at: number
  readonly words: string
  readonly topic: Topic
  /** Null for one that a test made up. */
  readonly author: Author | null
}

/** The simulated professional network of one sandbox. */
export interface Network {
  readonly seed: number
  readonly store: PostStore<NetworkPost>
  /** Posts that searches have found, by URN, for requests of their comments: some were made up for a query. */
  readonly found: Map<string, NetworkPost>
}

const reactionTypes = ['LIKE', 'PRAISE', 'EMPATHY', 'INTEREST', 'APPRECIATION', 'ENTERTAINMENT']

const make: Make<NetworkPost> = (random, at, query) => {
  const author = random.pick(random.chance(0.85) ? people : companyPages)
  const { handle, name, profile } = author
  const topic = topicAbout(query) ?? random.pick(topics)
  const commentary = composePost(random, topic)
  const activity = idAt(random, at)
  const postedAt = new Date(at).toISOString()
  const component = random.chance(0.6) ? random.pick(components) : {}
  const post: ProfessionalnetPost = {
    share_url: `https://professionalnet.example/posts/${handle}_${topic.keyword}-activity-${activity}`,
    actor: {
      actor_image: profile.image,
      actor_description: profile.headline,
      actor_name: name,
      actor_subDescription: postedAt.slice(0, 10),
      actor_navigationContext: profile.url,
    },
    commentary,
    social_details: engage(random),
    postedAt,
    ...urnsOf(activity),
    ...(JSON.parse(fill(random, topic, JSON.stringify(component))) as typeof component),
  }
  return { ...indexNetworkPost(post, at), topic, author }
}

const grownAt = growing(86_400_000)

const age: Age<NetworkPost> = (item, ms) => {
  const grown = grownAt(ms)
  const { numComments, numShares, reactionTypeCounts } = item.post.social_details
  const counts = reactionTypeCounts.map(({ type, count }) => ({ type, count: grown(count) }))
  const social_details = {
    numLikes: counts.reduce((sum, { count }) => sum + count, 0),
    numComments: grown(numComments),
    numShares: grown(numShares),
    reactionTypeCounts: counts.filter(({ count }) => count > 0),
  }
  return { ...item, post: { ...item.post, social_details } }
}

export function indexNetworkPost(post: ProfessionalnetPost, at: number) {
  return { post, at, words: normalize(`${post.commentary}\n${post.actor.actor_name}`) }
}

/** How posts on the professional network are made up. */
export const networkPosts = makeUp('professionalnet', make, age)

export function urnsOf(activity: string) {
  const urn = (kind: string) => `urn:professionalnet:${kind}:${activity}`
  return {
    ...{ urn: urn('activity'), reactionsUrn: urn('reactions') },
    ...{ commentsUrn: urn('comments'), repostsUrn: urn('reposts') },
  }
}

function engage(random: Random): ProfessionalnetPost['social_details'] {
  const counts = reactionTypes.map((type, index) => ({
    type,
    count: Math.floor(random.longTail(22) / (index * index + 1)),
  }))
  return {
    numLikes: counts.reduce((sum, { count }) => sum + count, 0),
    numComments: random.chance(0.15) ? 0 : random.longTail(16),
    numShares: Math.floor(random.longTail(4) / 2),
    reactionTypeCounts: counts.filter(({ count }) => count > 0),
  }
}

import type { ProfessionalnetPost } from '../../api/professionalnet/posts.ts'
import { longTail } from '../authors.ts'
import { composeOriginal } from '../compose-post.ts'
import { newest } from '../corpus.ts'
import { handlesIn } from '../index-post.ts'
import { topicAbout } from '../phrases/about.ts'
import { type Topic, english } from '../phrases/languages.ts'
import { type Random, createRandom } from '../random.ts'
import { memoizeLatest } from '../memoize-latest.ts'
import { normalize } from '../match-words.ts'
import { type IndexedCompany, createCompanies } from './companies.ts'
import { createComponents } from './components.ts'
import { type Person, createPeople } from './people.ts'

/** A post, with data for searches that the service does not send. */
export interface NetworkPost {
  readonly post: ProfessionalnetPost
  /** Number of the activity, the last part of its URN. */
  readonly activity: string
  /** Time of the post, in milliseconds since 1970. */
  readonly at: number
  readonly topic: Topic
  /** Null for a post of a company, or of an author outside this network. */
  readonly person: Person | null
  /** The company that posted, or that the author works for. */
  readonly company: IndexedCompany | null
  readonly mentionedPeople: readonly Person[]
  readonly mentionedCompanies: readonly IndexedCompany[]
  readonly words: string
  readonly score: number
}

/** The simulated professional network. */
export interface Network {
  readonly seed: number
  readonly companies: readonly IndexedCompany[]
  readonly people: readonly Person[]
  /** Newest first. */
  readonly posts: readonly NetworkPost[]
  /** Posts made up for a query, by activity, for requests of their comments. Null disables making up posts. */
  readonly made: Map<string, NetworkPost> | null
}

const spanSeconds = 90 * 24 * 60 * 60
const reactionTypes = ['LIKE', 'PRAISE', 'EMPATHY', 'INTEREST', 'APPRECIATION', 'ENTERTAINMENT']

/** Returns the network of a seed; `size` is the number of microblog posts, of which it has a quarter. */
export const networkOf: (seed: number, size: number) => Network = memoizeLatest((seed, size) => {
  const random = createRandom(`${seed}/professionalnet`)
  const companies = createCompanies(random)
  const people = createPeople(random, companies)
  const count = Math.ceil(size / 4)
  const gap = Math.max(1, Math.floor((2 * spanSeconds) / Math.max(count, 1)))
  let at = newest
  const posts = Array.from({ length: count }, (_, index) => {
    at -= 1000 * random.integer(1, gap)
    return createPost(random, { companies, people, at, serial: count - index })
  })
  return { seed, companies, people, posts, made: new Map() }
})

/** Makes up posts about a query that no other post matches, newest first. The same seed and query give the same posts. */
export function postsAbout(network: Network, query: string): NetworkPost[] {
  const about = topicAbout(query)
  const { made } = network
  if (about === null || made === null || network.posts.length === 0) return []
  const random = createRandom(`${network.seed}/network posts about ${about.keyword}`)
  let at = newest
  const posts = Array.from({ length: random.integer(12, 40) }, () => {
    at -= 1000 * random.integer(60, 150_000)
    return createPost(random, { ...network, at, serial: random.integer(100_000, 999_999), about })
  })
  for (const post of posts) made.set(post.activity, post)
  return posts
}

function createPost(
  random: Random,
  from: Pick<Network, 'companies' | 'people'> & { at: number; serial: number; about?: Topic },
): NetworkPost {
  const { companies, people, at, serial, about } = from
  const person = random.chance(0.85) ? random.pick(people) : null
  const company = person?.employer ?? random.pick(companies)
  const topic = about ?? random.pick(person?.interests ?? english.topics)
  const body = composeOriginal(random, [topic], people)
  const mentionedCompanies = random.chance(0.12) ? [random.pick(companies)] : []
  const thanks = mentionedCompanies.map(({ company }) => `\n\nThanks to everybody at ${company.name}.`)
  const text = body + thanks.join('')

  const mentions = handlesIn(body)
  const activity = `${at / 1000}${String(serial).padStart(6, '0')}`
  const slug = person?.handle ?? company.slug
  const social = engage(random)
  return {
    post: {
      share_url: `https://professionalnet.example/posts/${slug}_${topic.keyword}-activity-${activity}`,
      actor: actorOf(random, person, company, at),
      commentary: text,
      social_details: social,
      postedAt: new Date(at).toISOString(),
      urn: `urn:professionalnet:activity:${activity}`,
      reactionsUrn: `urn:professionalnet:reactions:${activity}`,
      commentsUrn: `urn:professionalnet:comments:${activity}`,
      repostsUrn: `urn:professionalnet:reposts:${activity}`,
      ...createComponents(random, topic),
    },
    activity,
    at,
    topic,
    person,
    company,
    mentionedPeople: people.filter(({ handle }) => mentions.includes(handle)),
    mentionedCompanies,
    words: normalize(`${text}\n${person?.name ?? company.company.name}`),
    score: scoreOf(social),
  }
}

/** Rank of a post among the most relevant. */
export function scoreOf({ numLikes, numComments, numShares }: ProfessionalnetPost['social_details']): number {
  return numLikes + 3 * numComments + 2 * numShares
}

function actorOf(random: Random, person: Person | null, { company, url }: IndexedCompany, at: number) {
  const days = Math.floor((newest - at) / 86_400_000)
  return {
    actor_image: person?.image ?? company.logoUrl ?? '',
    actor_description: person?.headline ?? `${company.followerCount} followers`,
    actor_name: person?.name ?? company.name,
    actor_subDescription: `${days}d${random.chance(0.15) ? ' • Edited' : ''}`,
    actor_navigationContext: person?.url ?? url,
  }
}

function engage(random: Random): ProfessionalnetPost['social_details'] {
  const counts = reactionTypes.map((type, index) => ({
    type,
    count: Math.floor(longTail(random, 22) / (index * index + 1)),
  }))
  return {
    numLikes: counts.reduce((sum, { count }) => sum + count, 0),
    numComments: random.chance(0.15) ? 0 : longTail(random, 16),
    numShares: Math.floor(longTail(random, 4) / 2),
    reactionTypeCounts: counts.filter(({ count }) => count > 0),
  }
}

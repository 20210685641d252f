import type { ProfessionalnetPost } from '../../../api/professionalnet/posts.ts'
import { composePost } from '../compose-post.ts'
import { handlesIn } from '../index-post.ts'
import { normalize } from '../match-words.ts'
import { type Person, castOf } from '../people.ts'
import { type Topic, english, topicAbout } from '../phrases/languages.ts'
import type { PostStore } from '../post-store.ts'
import type { Random } from '../random.ts'
import { type Make, idAt, makeUp } from '../series.ts'
import { type Company, pageOfCompany, slugOf } from './companies.ts'
import { createComponents } from './components.ts'

/** A post, with data for searches that the service does not send. */
export interface NetworkPost {
  readonly post: ProfessionalnetPost
  /** Time of the post, in milliseconds since 1970. */
  readonly at: number
  readonly words: string
  readonly topic: Topic
  /** Null for a post of a company, or of an author outside this network. */
  readonly person: Person | null
  /** The company that posted, or that the author works for. */
  readonly company: Company | null
  /** URNs of people, and ids of companies. */
  readonly mentioned: readonly string[]
}

/** The simulated professional network of one sandbox. */
export interface Network {
  readonly seed: number
  readonly store: PostStore<NetworkPost>
  /** Posts that searches have found, by URN, for requests of their comments: some were made up for a query. */
  readonly found: Map<string, NetworkPost>
}

const reactionTypes = ['LIKE', 'PRAISE', 'EMPATHY', 'INTEREST', 'APPRECIATION', 'ENTERTAINMENT']

const make: Make<NetworkPost> = (random, at, { seed, query }) => {
  const { companies, members } = castOf(seed)
  const person = random.chance(0.85) ? random.pick(members) : null
  const company = person?.employer ?? random.pick(companies)
  const topic = topicAbout(query) ?? random.pick(person?.interests ?? english.topics)
  const text = composePost(random, english, topic, members)
  const handles = handlesIn(text)
  const partner = random.chance(0.12) ? random.pick(companies) : null
  const commentary = partner === null ? text : `${text}\n\nThanks to everybody at ${partner.name}.`
  const actor = actorOf(person, company, at)
  const activity = idAt(random, at)
  const page = `https://professionalnet.example/posts/${person?.handle ?? slugOf(company)}_${topic.keyword}`
  const post = {
    share_url: `${page}-activity-${activity}`,
    actor,
    commentary,
    social_details: engage(random),
    postedAt: new Date(at).toISOString(),
    ...urnsOf(activity),
    ...createComponents(random, random.pick(topic.slots.thing)),
  }
  const people = members.filter(({ handle }) => handles.includes(handle)).map(({ profile }) => profile.urn)
  const mentioned = partner === null ? people : [...people, partner.id]
  const words = normalize(`${commentary}\n${actor.actor_name}`)
  return { post, at, words, topic, person, company, mentioned }
}

/** How posts on the professional network are made up. */
export const networkPosts = makeUp('professionalnet', make, [12, 40])

export function urnsOf(activity: string) {
  const urn = (kind: string) => `urn:professionalnet:${kind}:${activity}`
  return {
    ...{ urn: urn('activity'), reactionsUrn: urn('reactions') },
    ...{ commentsUrn: urn('comments'), repostsUrn: urn('reposts') },
  }
}

function actorOf(person: Person | null, company: Company, at: number): ProfessionalnetPost['actor'] {
  const account = person?.profile ?? {
    image: company.logoUrl ?? '',
    headline: `${company.followerCount} followers`,
    url: pageOfCompany(company),
  }
  return {
    actor_image: account.image,
    actor_description: account.headline,
    actor_name: person?.name ?? company.name,
    actor_subDescription: new Date(at).toISOString().slice(0, 10),
    actor_navigationContext: account.url,
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

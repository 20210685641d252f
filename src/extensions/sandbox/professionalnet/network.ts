import type { ProfessionalnetPost } from '../../../api/professionalnet/posts.ts'
import { longTail } from '../authors.ts'
import { composeOriginal } from '../compose-post.ts'
import { handlesIn } from '../index-post.ts'
import { type Topic, english, topicAbout } from '../phrases/languages.ts'
import type { Random } from '../random.ts'
import { type Make, idAt, makeUp } from '../series.ts'
import { normalize } from '../match-words.ts'
import type { PostStore } from '../post-store.ts'
import { createComponents } from './components.ts'
import { type IndexedCompany, type Person, membersOf } from './members.ts'

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
}

/** The simulated professional network of one sandbox. */
export interface Network {
  readonly seed: number
  readonly store: PostStore<NetworkPost>
  /** Posts that searches have found, by activity, for requests of their comments: some were made up for a query. */
  readonly found: Map<string, NetworkPost>
}

/** Stands for the days since a post, which the clock moves. */
export const ageSlot = '{age}'

const reactionTypes = ['LIKE', 'PRAISE', 'EMPATHY', 'INTEREST', 'APPRECIATION', 'ENTERTAINMENT']

const make: Make<NetworkPost> = (random, at, { seed, query }) => {
  const { companies, people } = membersOf(seed)
  const person = random.chance(0.85) ? random.pick(people) : null
  const company = person?.employer ?? random.pick(companies)
  const topic = topicAbout(query) ?? random.pick(person?.interests ?? english.topics)
  const body = composeOriginal(random, [topic], people)
  const mentions = handlesIn(body)
  const mentionedPeople = people.filter(({ handle }) => mentions.includes(handle))
  const mentionedCompanies = random.chance(0.12) ? [random.pick(companies)] : []
  const thanks = mentionedCompanies.map(({ company }) => `\n\nThanks to everybody at ${company.name}.`)
  const commentary = body + thanks.join('')
  const actor = actorOf(random, person, company)
  const activity = idAt(random, at)
  const page = `https://professionalnet.example/posts/${person?.handle ?? company.slug}_${topic.keyword}`
  const post = {
    share_url: `${page}-activity-${activity}`,
    actor,
    commentary,
    social_details: engage(random),
    postedAt: new Date(at).toISOString(),
    urn: `urn:professionalnet:activity:${activity}`,
    ...urnsOf(activity),
    ...createComponents(random, random.pick(topic.slots.thing)),
  }
  const words = normalize(`${commentary}\n${actor.actor_name}`)
  return { post, activity, at, topic, person, company, mentionedPeople, mentionedCompanies, words }
}

/** How posts on the professional network are made up. */
export const networkPosts = makeUp('professionalnet', make, [12, 40])

export function urnsOf(activity: string) {
  const urn = (kind: string) => `urn:professionalnet:${kind}:${activity}`
  return { reactionsUrn: urn('reactions'), commentsUrn: urn('comments'), repostsUrn: urn('reposts') }
}

function actorOf(random: Random, person: Person | null, { company, url }: IndexedCompany) {
  return {
    actor_image: person?.image ?? company.logoUrl ?? '',
    actor_description: person?.headline ?? `${company.followerCount} followers`,
    actor_name: person?.name ?? company.name,
    actor_subDescription: `${ageSlot}${random.chance(0.15) ? ' • Edited' : ''}`,
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

import { check } from '../api/schema/check.ts'
import type { MicroblogPost } from '../api/microblog.ts'
import type { ProfessionalnetPost } from '../api/professionalnet/posts.ts'
import type { Schema } from '../api/schema/schema.ts'
import { microblogPost as microblogPostSchema } from '../api/microblog.ts'
import { professionalnetPost } from '../api/professionalnet/posts.ts'
import { assertRecord, fail } from './check-arguments.ts'
import { newest } from './corpus.ts'
import { type IndexedPost, indexPost } from './index-post.ts'
import { normalize } from './match-words.ts'
import { topicAbout } from './phrases/about.ts'
import type { Topic } from './phrases/languages.ts'
import { type Network, type NetworkPost, scoreOf } from './professionalnet/network.ts'
import type { IndexedStory } from './technews.ts'
import type { SandboxContent, SandboxNetworkPost, SandboxPost } from './types.ts'

/** The posts of a test by network; null for a network with made-up posts. */
export interface OwnPosts {
  readonly microblog: readonly IndexedPost[] | null
  readonly professionalnet: readonly NetworkPost[] | null
  readonly technews: readonly IndexedStory[] | null
}

const noEngagements = {
  bookmarkCount: 0,
  favoriteCount: 0,
  quoteCount: 0,
  replyCount: 0,
  retweetCount: 0,
  viewsCount: 0,
}

/** Comments on a post of a test are about this. */
const anything = topicAbout('this') as Topic

/**
 * Checks and completes the posts of a test. A post without a time is a minute older than the one before it.
 *
 * @throws {TypeError} for a post that the service would not send.
 */
export function ownPostsOf(content: SandboxContent): OwnPosts {
  assertRecord('createSandbox() option content', content, ['microblog', 'professionalnet', 'technews'])
  return {
    microblog: indexed('microblog', content.microblog, microblogPost)?.sort(newestFirst) ?? null,
    professionalnet:
      indexed('professionalnet', content.professionalnet, networkPost)?.sort(newestFirst) ?? null,
    technews: indexed('technews', content.technews, story) ?? null,
  }
}

function indexed<Given, Indexed>(
  network: keyof SandboxContent,
  posts: readonly Given[] | undefined,
  index: (post: Given, field: string, position: number) => Indexed,
): Indexed[] | undefined {
  const field = `createSandbox() option content.${network}`
  if (posts === undefined) return undefined
  if (!Array.isArray(posts)) fail(field, 'an array', posts)
  return (posts as readonly Given[]).map((post, position) => index(post, `${field}[${position}]`, position))
}

function newestFirst(a: { at: number }, b: { at: number }): number {
  return b.at - a.at
}

function microblogPost(given: SandboxPost, field: string, position: number): IndexedPost {
  const id = given.id ?? String(position + 1)
  const { author = 'ada', timestamp = timeOf(position) } = given
  const url = `https://microblog.example/${author}/status/${id}`
  const post: MicroblogPost = {
    name: author,
    url,
    images: [],
    video: null,
    ...given,
    id,
    author,
    timestamp,
    engagements: { ...noEngagements, ...given.engagements },
  }
  assertPost(microblogPostSchema, field, post)
  return indexPost(post, parsedTime(field, 'timestamp', timestamp), 'en')
}

function networkPost(given: SandboxNetworkPost, field: string, position: number): NetworkPost {
  const { urn = `urn:professionalnet:activity:${position + 1}`, postedAt = timeOf(position) } = given
  const activity = urn.split(':').at(-1) ?? ''
  const post: ProfessionalnetPost = {
    share_url: `https://professionalnet.example/posts/ada-activity-${activity}`,
    reactionsUrn: `urn:professionalnet:reactions:${activity}`,
    commentsUrn: `urn:professionalnet:comments:${activity}`,
    repostsUrn: `urn:professionalnet:reposts:${activity}`,
    ...given,
    urn,
    postedAt,
    actor: {
      actor_image: '',
      actor_description: '',
      actor_name: 'Ada',
      actor_subDescription: '',
      actor_navigationContext: 'https://professionalnet.example/in/ada',
      ...given.actor,
    },
    social_details: {
      numLikes: 0,
      numComments: 0,
      numShares: 0,
      reactionTypeCounts: [],
      ...given.social_details,
    },
  }
  assertPost(professionalnetPost, field, post)
  return {
    post,
    activity,
    at: parsedTime(field, 'postedAt', postedAt),
    topic: anything,
    person: null,
    company: null,
    mentionedPeople: [],
    mentionedCompanies: [],
    words: normalize(`${post.commentary}\n${post.actor.actor_name}`),
    score: scoreOf(post.social_details),
  }
}

function story(post: object, field: string): IndexedStory {
  assertRecord(field, post, Object.keys(Object(post) as object))
  return { post, words: normalize(textsOf(post).join('\n')) }
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

/** A network with the posts of a test. If an author's URL belongs to a person or company of the network, filters find them. */
export function networkWith(network: Network, posts: readonly NetworkPost[]): Network {
  const withAuthors = posts.map((own) => {
    const url = own.post.actor.actor_navigationContext
    const person = network.people.find((person) => person.url === url) ?? null
    const company = person?.employer ?? network.companies.find((company) => company.url === url) ?? null
    return { ...own, person, company }
  })
  return { ...network, posts: withAuthors, made: null }
}

function assertPost(schema: Schema & { readonly shape: object }, field: string, post: object): void {
  assertRecord(field, post, Object.keys(schema.shape))
  // As it would be sent: fields that are undefined are absent.
  const [issue] = check(schema, JSON.parse(JSON.stringify(post)))
  if (issue !== undefined) throw new TypeError(`${field}: ${issue.path} ${issue.message}`)
}

function timeOf(position: number): string {
  return new Date(newest - 60_000 * position).toISOString()
}

function parsedTime(field: string, name: string, value: string): number {
  const at = Date.parse(value)
  if (Number.isNaN(at)) throw new TypeError(`${field}: ${name} must be a time`)
  return at
}

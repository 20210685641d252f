import { check } from '../api/schema/check.ts'
import { type MicroblogPost, microblogPost as microblogPostSchema } from '../api/microblog.ts'
import { type Company, company as companySchema } from '../api/professionalnet/company.ts'
import { type ProfessionalnetPost, professionalnetPost } from '../api/professionalnet/posts.ts'
import type { Schema } from '../api/schema/schema.ts'
import { assertRecord, fail } from './check-arguments.ts'
import { type IndexedPost, indexPost } from './index-post.ts'
import { normalize } from './match-words.ts'
import type { IndexedMention, Mention } from './organization/mentions.ts'
import { type Listener, networks } from './organization/monitors.ts'
import { anything } from './phrases/about.ts'
import { type IndexedCompany, companyUrl, slugOf } from './professionalnet/companies.ts'
import { findIndustry } from './professionalnet/industries.ts'
import { type NetworkPost, membersOf, scoreOf } from './professionalnet/network.ts'
import type { Own } from './shelf.ts'
import type { IndexedStory } from './technews.ts'
import type {
  SandboxCompany,
  SandboxContent,
  SandboxNetworkPost,
  SandboxPost,
  SandboxPublication,
} from './types.ts'

/** The content of a test. */
export interface OwnContent {
  readonly microblog: Own<IndexedPost>
  readonly professionalnet: Own<NetworkPost>
  readonly technews: Own<IndexedStory>
  readonly mentions: Own<IndexedMention>
  /** Null for made-up listeners. */
  readonly listeners: readonly Listener[] | null
  readonly companies: readonly IndexedCompany[]
  publish(content: SandboxPublication): void
}

/** What a record has if the test does not say. */
interface Default {
  readonly at: number
  /** Counts the records of its kind, from 1. */
  readonly serial: number
}

/** Checks and completes a record; `field` names it in errors. */
type Complete<Given, Indexed> = (given: Given, field: string, by: Default) => Indexed

const noEngagements = {
  bookmarkCount: 0,
  favoriteCount: 0,
  quoteCount: 0,
  replyCount: 0,
  retweetCount: 0,
  viewsCount: 0,
}

/**
 * Checks and completes the content of a test. A post without a time is a minute older than the one before it, and a published
 * one as new as the clock says.
 *
 * @throws {TypeError} for a post that the service would not send.
 */
export function ownContentOf(content: SandboxContent, seed: number, now: () => number): OwnContent {
  const published = ['microblog', 'professionalnet', 'technews', 'mentions'] as const
  assertRecord('createSandbox() option content', content, [...published, 'listeners', 'companies'])
  const at = now()
  const option = 'createSandbox() option content'
  const companies = complete(`${option}.companies`, content.companies, companyProfile, { at })
  const listeners = complete(`${option}.listeners`, content.listeners, listener, { at })
  const microblog = collect('microblog', microblogPost)
  const professionalnet = collect('professionalnet', networkPostsBy(seed, companies))
  const technews = collect('technews', story)
  const mentions = collect('mentions', mentionsFor(listeners))

  return {
    microblog: microblog.own,
    professionalnet: professionalnet.own,
    technews: technews.own,
    mentions: mentions.own,
    listeners: content.listeners === undefined ? null : listeners,
    companies,
    publish(given) {
      const content: SandboxContent = 'length' in given ? { microblog: given } : given
      assertRecord('publish() content', content, published)
      // If one record is refused, none is added.
      for (const add of [microblog, professionalnet, technews, mentions].map(({ take }) => take(content)))
        add()
    },
  }

  function collect<Name extends (typeof published)[number], Indexed>(
    name: Name,
    each: Complete<NonNullable<SandboxContent[Name]>[number], Indexed>,
  ) {
    const own: Own<Indexed> = {
      isAlone: content[name] !== undefined,
      items: complete(`${option}.${name}`, content[name], each, { at, gap: 60_000 }),
    }
    function take(content: SandboxContent): () => void {
      const more = complete(`publish() ${name}`, content[name], each, { at: now(), known: own.items.length })
      return () => void (own.items = [...more, ...own.items])
    }
    return { own, take }
  }
}

function complete<Given, Indexed>(
  field: string,
  records: readonly Given[] | undefined = [],
  each: Complete<Given, Indexed>,
  { at, gap = 0, known = 0 }: { at: number; gap?: number; known?: number },
): Indexed[] {
  if (!Array.isArray(records)) fail(field, 'an array', records)
  return (records as readonly Given[]).map((record, index) =>
    each(record, `${field}[${index}]`, { at: at - gap * index, serial: known + index + 1 }),
  )
}

function microblogPost(given: SandboxPost, field: string, { at, serial }: Default): IndexedPost {
  const { id = String(serial), author = 'ada', timestamp = new Date(at).toISOString() } = given
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

/** If an author's URL belongs to a person or company of the network, filters by author find the post. */
function networkPostsBy(seed: number, own: readonly IndexedCompany[]) {
  return (given: SandboxNetworkPost, field: string, by: Default): NetworkPost => {
    const post = networkPost(given, field, by)
    const url = given.actor?.actor_navigationContext
    if (url === undefined) return post
    const { people, companies } = membersOf(seed)
    const person = people.find((person) => person.url === url) ?? null
    const company = person?.employer ?? [...own, ...companies].find((company) => company.url === url) ?? null
    return { ...post, person, company }
  }
}

function networkPost(given: SandboxNetworkPost, field: string, { at, serial }: Default): NetworkPost {
  const { urn = `urn:professionalnet:activity:${serial}`, postedAt = new Date(at).toISOString() } = given
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

function story(post: object, field: string, { at }: Default): IndexedStory {
  assertRecord(field, post, Object.keys(Object(post) as object))
  return { post, at, words: normalize(textsOf(post).join('\n')) }
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

function listener(given: object, field: string, { at, serial }: Default): Listener {
  const made = { id: `lis_${serial}`, name: `Listener ${serial}`, isActive: true }
  const record = { ...made, keywords: [], networks, createdAt: new Date(at).toISOString(), ...given }
  assertId(field, record, given, 'lis_')
  for (const name of ['keywords', 'networks'] as const)
    if (!Array.isArray(record[name])) fail(`${field}.${name}`, 'an array', record[name])
  return record
}

function mentionsFor([listener]: readonly Listener[]) {
  return (given: object, field: string, { at, serial }: Default): IndexedMention => {
    const made = { id: `men_${serial}`, listenerId: listener?.id ?? 'lis_0', network: 'microblog', text: '' }
    const url = `https://microblog.example/ada/${serial}`
    const rest = { author: 'ada', url, publishedAt: new Date(at).toISOString(), fitScore: 50, state: 'new' }
    const mention = { ...made, ...rest, ...given } as Mention
    assertId(field, mention, given, 'men_')
    return { mention, at: parsedTime(field, 'publishedAt', mention.publishedAt), words: '' }
  }
}

function companyProfile(given: SandboxCompany, field: string, { serial }: Default): IndexedCompany {
  const slug = given.universalName ?? slugOf(String(given.name))
  const url = given.linkedinUrl ?? companyUrl(slug)
  const unknown = { description: null, tagline: null, websiteUrl: null, industry: null, foundedYear: null }
  const none = { employeeCountRange: null, headquarter: null, locations: [], specialities: [], logoUrl: null }
  const counts = { id: String(serial), followerCount: 0, employeeCount: 0 }
  const company: Company = { ...counts, universalName: slug, linkedinUrl: url, ...unknown, ...none, ...given }
  assertPost(companySchema, field, company)
  return { company, slug, url, industry: findIndustry(company.industry) }
}

/** The client and the service refuse other ids. */
function assertId(field: string, { id }: { id: unknown }, given: unknown, prefix: string): void {
  assertRecord(field, given, Object.keys(Object(given) as object))
  if (typeof id !== 'string' || !id.startsWith(prefix))
    fail(`${field}.id`, `a text that starts with ${prefix}`, id)
}

function assertPost(schema: Schema & { readonly shape: object }, field: string, post: object): void {
  assertRecord(field, post, Object.keys(schema.shape))
  // As it would be sent: fields that are undefined are absent.
  const [issue] = check(schema, JSON.parse(JSON.stringify(post)))
  if (issue !== undefined) throw new TypeError(`${field}: ${issue.path} ${issue.message}`)
}

function parsedTime(field: string, name: string, value: string): number {
  const at = Date.parse(value)
  if (Number.isNaN(at)) throw new TypeError(`${field}: ${name} must be a time`)
  return at
}

import { check } from '../api/schema/check.ts'
import { type MicroblogPost, microblogPost as microblogPostSchema } from '../api/microblog.ts'
import { type ProfessionalnetCompany, professionalnetCompany } from '../api/professionalnet/company.ts'
import { type ProfessionalnetPost, professionalnetPost } from '../api/professionalnet/posts.ts'
import type { Schema } from '../api/schema/schema.ts'
import { array, assertRecord, fail } from './check-arguments.ts'
import { type IndexedPost, indexPost } from './index-post.ts'
import { normalize } from './match-words.ts'
import type { IndexedMention, Mention } from './organization/mentions.ts'
import type { Listener } from './organization/monitors.ts'
import defaults from './own-defaults.json' with { type: 'json' }
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

/** The content of a test; `listeners` is null for made-up ones. */
export type OwnContent = ReturnType<typeof ownContentOf>

/** What a record has if the test does not say. */
interface Default {
  readonly at: number
  /** Counts the records of its kind, from 1. */
  readonly serial: number
}

/** Checks and completes a record; `field` names it in errors. */
type Complete<Given, Indexed> = (given: Given, field: string, by: Default) => Indexed

/**
 * Checks and completes the content of a test. A post without a time is a minute older than the one before it, and a published
 * one as new as the clock says.
 *
 * @throws {TypeError} for a post that the service would not send.
 */
export function ownContentOf(content: SandboxContent, seed: number, now: () => number) {
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
    publish: (given: SandboxPublication): void => {
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
  return array(field, records).map((record, index) =>
    each(record, `${field}[${index}]`, { at: at - gap * index, serial: known + index + 1 }),
  )
}

function microblogPost(given: SandboxPost, field: string, { at, serial }: Default): IndexedPost {
  const { id = String(serial), author = 'ada', timestamp = new Date(at).toISOString() } = given
  const url = `https://microblog.example/${author}/status/${id}`
  const made = { ...defaults.microblog, ...{ id, author, name: author, timestamp, url } }
  const post: MicroblogPost = {
    ...made,
    ...given,
    engagements: { ...defaults.engagements, ...given.engagements },
  }
  assertPost(microblogPostSchema, field, post)
  return indexPost(post, parsedTime(field, 'timestamp', timestamp), 'en')
}

function networkPostsBy(seed: number, own: readonly IndexedCompany[]) {
  return (given: SandboxNetworkPost, field: string, { at, serial }: Default): NetworkPost => {
    const { urn = `urn:professionalnet:activity:${serial}`, postedAt = new Date(at).toISOString() } = given
    const activity = urn.split(':').at(-1) ?? ''
    const post: ProfessionalnetPost = {
      share_url: `https://professionalnet.example/posts/ada-activity-${activity}`,
      reactionsUrn: `urn:professionalnet:reactions:${activity}`,
      commentsUrn: `urn:professionalnet:comments:${activity}`,
      repostsUrn: `urn:professionalnet:reposts:${activity}`,
      ...given,
      ...{ urn, postedAt },
      actor: { ...defaults.actor, ...given.actor },
      social_details: { ...defaults.socialDetails, ...given.social_details },
    }
    assertPost(professionalnetPost, field, post)
    return {
      ...authorAt(given.actor?.actor_navigationContext),
      ...{ post, activity, topic: anything, mentionedPeople: [], mentionedCompanies: [] },
      at: parsedTime(field, 'postedAt', postedAt),
      words: normalize(`${post.commentary}\n${post.actor.actor_name}`),
      score: scoreOf(post.social_details),
    }
  }

  /** The author at a URL, so that filters by author find the post. */
  function authorAt(url: string | undefined): Pick<NetworkPost, 'person' | 'company'> {
    if (url === undefined) return { person: null, company: null }
    const { people, companies } = membersOf(seed)
    const person = people.find((person) => person.url === url) ?? null
    const company = person?.employer ?? [...own, ...companies].find((company) => company.url === url) ?? null
    return { person, company }
  }
}

function story(post: object, field: string, { at }: Default): IndexedStory {
  assertRecord(field, post)
  return { post, at, words: normalize(textsOf(post).join('\n')) }
}

function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

function listener(given: object, field: string, { at, serial }: Default): Listener {
  const made = { id: `lis_${serial}`, name: `Listener ${serial}`, createdAt: new Date(at).toISOString() }
  const record = { ...defaults.listener, ...made, ...given }
  assertId(field, record, given, 'lis_')
  array(`${field}.keywords`, record.keywords)
  array(`${field}.networks`, record.networks)
  return record
}

function mentionsFor([listener]: readonly Listener[]) {
  return (given: object, field: string, { at, serial }: Default): IndexedMention => {
    const ids = { id: `men_${serial}`, listenerId: listener?.id ?? 'lis_0' }
    const made = { url: `https://microblog.example/ada/${serial}`, publishedAt: new Date(at).toISOString() }
    const mention = { ...ids, ...defaults.mention, ...made, ...given } as Mention
    assertId(field, mention, given, 'men_')
    return { mention, at: parsedTime(field, 'publishedAt', mention.publishedAt), words: '' }
  }
}

function companyProfile(given: SandboxCompany, field: string, { serial }: Default): IndexedCompany {
  const slug = given.universalName ?? (typeof given.name === 'string' ? slugOf(given.name) : '')
  const url = given.linkedinUrl ?? companyUrl(slug)
  const made = { id: String(serial), universalName: slug, linkedinUrl: url }
  const company: ProfessionalnetCompany = { ...made, ...defaults.company, ...given }
  assertPost(professionalnetCompany, field, company)
  return { company, slug, url, industry: findIndustry(company.industry) }
}

/** The client and the service refuse other ids. */
function assertId(field: string, { id }: { id: unknown }, given: unknown, prefix: string): void {
  assertRecord(field, given)
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

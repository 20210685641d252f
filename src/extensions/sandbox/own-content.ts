import { anything } from './phrases/languages.ts'
import { type MicroblogPost, microblogPost as microblogPostSchema } from '../../api/microblog.ts'
import { professionalnetCompany } from '../../api/professionalnet/company.ts'
import { type ProfessionalnetPost, professionalnetPost } from '../../api/professionalnet/posts.ts'
import { check } from '../../api/schema/check.ts'
import { type JsonSchema, jsonSchemaOf } from '../../api/schema/json-schema.ts'
import type { Schema } from '../../api/schema/schema.ts'
import { array, assertRecord, fail, jsonCopy } from './check-arguments.ts'
import { type IndexedPost, indexPost } from './index-post.ts'
import { normalize } from './match-words.ts'
import type { IndexedMention, Mention } from './organization/mentions.ts'
import type { Listener } from './organization/monitors.ts'
import defaults from './own-defaults.json' with { type: 'json' }
import { type Company, pageOfCompany, slugOf } from './professionalnet/companies.ts'
import { type NetworkPost, urnsOf } from './professionalnet/network.ts'
import type {
  SandboxCompany,
  SandboxContent,
  SandboxNetworkPost,
  SandboxPost,
  SandboxPublication,
} from './types.ts'

/**
 * Checks and completes a record. `field` names it in errors, `serial` counts the records of its kind from 1, and `at` is its
 * time by default.
 */
type Complete<Given, Indexed> = (given: Given, field: string, serial: number, at: number) => Indexed

/**
 * Checks and completes the content of a test. A post without a time is a minute older than the one before it, and a published
 * one as new as the clock says.
 *
 * @throws {TypeError} for a post that the service would not send.
 */
export function ownContentOf(content: SandboxContent, now: () => number) {
  const published = ['microblog', 'professionalnet', 'mentions'] as const
  const option = 'createSandbox() option content'
  assertRecord(option, content, [...published, 'listeners', 'companies'])
  const start = now()
  const companies = complete(`${option}.companies`, content.companies, companyProfile, { at: start })
  const listeners = complete(`${option}.listeners`, content.listeners, listener, { at: start })
  const lists = {
    microblog: collect('microblog', microblogPost),
    professionalnet: collect('professionalnet', networkPost),
    mentions: collect('mentions', mentionsFor(listeners)),
  }
  return {
    ...lists,
    /** Undefined for made-up ones. */
    listeners: content.listeners && listeners,
    companies,
    publish: (given: SandboxPublication): void => {
      const content = (Array.isArray(given) ? { microblog: given } : given) as SandboxContent
      assertRecord('publish() content', content, published)
      // If one record is refused, none is added.
      const additions = Object.values(lists).map(({ take }) => take(content))
      for (const add of additions) add()
    },
  }

  function collect<Name extends (typeof published)[number], Indexed>(
    name: Name,
    each: Complete<NonNullable<SandboxContent[Name]>[number], Indexed>,
  ) {
    const list = {
      isAlone: content[name] !== undefined,
      items: complete(`${option}.${name}`, content[name], each, { at: start, gap: 60_000 }),
      /** Checks what is published, and returns the function that adds it. */
      take: (content: SandboxContent): (() => void) => {
        const known = list.items.length
        const more = complete(`publish() ${name}`, content[name], each, { at: now(), known })
        return () => void (list.items = [...more, ...list.items])
      },
    }
    return list
  }
}

function complete<Given, Indexed>(
  field: string,
  records: readonly Given[] | undefined = [],
  each: Complete<Given, Indexed>,
  { at, gap = 0, known = 0 }: { at: number; gap?: number; known?: number },
): Indexed[] {
  return array(field, records).map((record, index) => {
    const place = `${field}[${index}]`
    assertRecord(place, record)
    // As it would be sent: fields that are undefined are absent.
    return each(jsonCopy(place, record), place, known + index + 1, at - gap * index)
  })
}

function microblogPost(given: SandboxPost, field: string, serial: number, at: number): IndexedPost {
  const { id = String(serial), author = defaults.author, timestamp = isoOf(at) } = given
  const url = `https://microblog.example/${author}/status/${id}`
  const empty = emptyOf<MicroblogPost>(microblogPostSchema, 'body')
  const engagements = { ...empty.engagements, ...given.engagements }
  const post: MicroblogPost = { ...empty, id, author, name: author, timestamp, url, ...given, engagements }
  assertPost(microblogPostSchema, field, post)
  return indexPost(post, parsedTime(field, 'timestamp', timestamp), 'en')
}

function networkPost(given: SandboxNetworkPost, field: string, serial: number, at: number): NetworkPost {
  const activity = given.urn?.split(':').at(-1) ?? String(serial)
  const empty = emptyOf<ProfessionalnetPost>(professionalnetPost, 'commentary')
  const post: ProfessionalnetPost = {
    ...empty,
    share_url: `https://professionalnet.example/posts/ada-activity-${activity}`,
    postedAt: isoOf(at),
    ...urnsOf(activity),
    ...given,
    actor: { ...empty.actor, ...defaults.actor, ...given.actor },
    social_details: { ...empty.social_details, ...given.social_details },
  }
  assertPost(professionalnetPost, field, post)
  return {
    ...{ post, topic: anything, person: null, company: null, mentioned: [] },
    at: parsedTime(field, 'postedAt', post.postedAt),
    words: normalize(`${post.commentary}\n${post.actor.actor_name}`),
  }
}

function listener(given: object, field: string, serial: number): Listener {
  const made = { id: `lis_${serial}`, name: `Listener ${serial}` }
  const record = { ...defaults.listener, ...made, ...given }
  assertId(field, record, 'lis_')
  array(`${field}.keywords`, record.keywords)
  array(`${field}.networks`, record.networks)
  return record
}

function mentionsFor([listener]: readonly Listener[]) {
  return (given: object, field: string, serial: number, at: number): IndexedMention => {
    const ids = { id: `men_${serial}`, listenerId: listener?.id ?? 'lis_0' }
    const made = { url: `https://microblog.example/ada/${serial}`, publishedAt: isoOf(at) }
    const mention = { ...ids, ...defaults.mention, ...made, ...given } as Mention
    assertId(field, mention, 'men_')
    return { mention, at: parsedTime(field, 'publishedAt', mention.publishedAt), words: '' }
  }
}

function companyProfile(given: SandboxCompany, field: string, serial: number): Company {
  const name = typeof given.name === 'string' ? given.name : ''
  const made = { id: String(serial), universalName: slugOf({ name }), linkedinUrl: pageOfCompany({ name }) }
  const company: Company = { ...emptyOf<Company>(professionalnetCompany, 'name'), ...made, ...given }
  assertPost(professionalnetCompany, field, company)
  return company
}

/** The record of a schema with empty fields. The field that a test has to state is missing. */
function emptyOf<Value extends object>(schema: Schema<Value>, stated: keyof Value): Value {
  return { ...(emptyValueOf(jsonSchemaOf(schema)) as Value), [stated]: undefined }
}

/** Null if a schema allows it, otherwise zero or nothing. Optional fields are absent. */
function emptyValueOf({ type, properties = {}, required = [] }: JsonSchema): unknown {
  if (Array.isArray(type)) return null
  if (type === 'array') return []
  if (type !== 'object') return type === 'string' ? '' : 0
  return Object.fromEntries(required.map((name) => [name, emptyValueOf(properties[name] ?? {})]))
}

/** The client and the service refuse other ids. */
function assertId(field: string, { id }: { id: unknown }, prefix: string): void {
  if (typeof id !== 'string' || !id.startsWith(prefix))
    fail(`${field}.id`, `a text that starts with ${prefix}`, id)
}

function assertPost(schema: Schema & { readonly shape: object }, field: string, post: object): void {
  assertRecord(field, post, Object.keys(schema.shape))
  const [issue] = check(schema, post)
  if (issue !== undefined) throw new TypeError(`${field}: ${issue.path} ${issue.message}`)
}

function isoOf(at: number): string {
  return new Date(at).toISOString()
}

function parsedTime(field: string, name: string, value: string): number {
  const at = Date.parse(value)
  if (Number.isNaN(at)) throw new TypeError(`${field}: ${name} must be a time`)
  return at
}

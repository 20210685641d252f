import { listenersGet } from '../../api/endpoints/listeners.ts'
import { mentionsGet } from '../../api/endpoints/mentions.ts'
import { type MicroblogPost, microblogPost } from '../../api/endpoints/microblog.ts'
import {
  type ProfessionalnetCompany,
  professionalnetCompany,
} from '../../api/endpoints/professionalnet/company.ts'
import { type ProfessionalnetPost, professionalnetPost } from '../../api/endpoints/professionalnet/posts.ts'
import { issuesText } from '../../api/issues.ts'
import { check } from '../../api/schema/check.ts'
import type { Schema } from '../../api/schema/schema.ts'
import { assertOptions } from '../../errors/check-options.ts'
import { ConfigurationError } from '../../errors/index.ts'
import { parseTime } from '../../lib/time.ts'
import { companyOf } from './companies.ts'
import { anything } from './compose-post.ts'
import { type IndexedPost, indexPost, pageOfPost } from './microblog.ts'
import { type NetworkPost, indexNetworkPost, urnsOf } from './network.ts'
import { type IndexedMention, type Listener, type Mention, createListeners } from './organization.ts'
import defaults from './own-defaults.json' with { type: 'json' }
import type {
  SandboxCompany,
  SandboxContent,
  SandboxNetworkPost,
  SandboxPost,
  SandboxPublication,
} from './types.ts'

/** Where a record stands: its name in errors, its number from 1 on among those of its kind, and its time by default. */
interface Place {
  readonly field: string
  readonly serial: number
  readonly time: string
}

/**
 * Checks and completes the content of a test. A post without a time is a minute older than the one before it, and a published
 * one as new as the clock says.
 *
 * @throws {ConfigurationError} for a record that the service would not send.
 */
export function ownContentOf(content: SandboxContent, seed: number, now: () => number) {
  const kinds = { microblog: true, professionalnet: true, mentions: true }
  assertOptions(content, { ...kinds, listeners: true, companies: true }, 'content')
  const companies = complete('companies', content.companies, companyProfile)
  const listeners = content.listeners
    ? complete('listeners', content.listeners, listener)
    : createListeners(seed)
  const microblog = recordsOf('microblog', content.microblog, indexedPost, ({ post }) => post.id)
  const professionalnet = recordsOf(
    'professionalnet',
    content.professionalnet,
    networkPost,
    ({ post }) => post.urn,
  )
  const mention = mentionBy(listeners[0]?.id)
  const mentions = recordsOf('mentions', content.mentions, mention, ({ mention }) => mention.id)
  add(content, 60_000)
  return {
    ...{ microblog, professionalnet, mentions, listeners, companies },
    publish: (given: SandboxPublication): void => {
      const content: SandboxContent = 'length' in given ? { microblog: given } : given
      assertOptions<object>(content, kinds, 'publish()')
      add(content)
    },
  }

  /** Adds all records of a content. If one of them is refused, none is added. */
  function add(content: SandboxContent, gap = 0): void {
    const checked = [
      microblog.check(content.microblog, now(), gap),
      professionalnet.check(content.professionalnet, now(), gap),
      mentions.check(content.mentions, now(), gap),
    ]
    for (const addAll of checked) addAll()
  }
}

function complete<Given, Made>(
  kind: string,
  records: readonly Given[] | undefined = [],
  each: (given: Given, place: Place) => Made,
  { at = 0, gap = 0, known = 0 } = {},
): Made[] {
  return records.map((record, index) => {
    const time = new Date(at - gap * index).toISOString()
    const place = { field: `${kind}[${index}]`, serial: known + index + 1, time }
    // As it would be sent: fields that are undefined are absent.
    return each(JSON.parse(JSON.stringify(record)) as Given, place)
  })
}

/** The records of one kind, newest first, and a check of further ones, which returns what adds them. */
function recordsOf<Given, Made extends { readonly at: number }>(
  kind: string,
  given: readonly Given[] | undefined,
  each: (given: Given, place: Place) => Made,
  idOf: (record: Made) => string,
) {
  const records = { isAlone: given !== undefined, items: [] as readonly Made[], check }
  return records

  function check(added: readonly Given[] | undefined, at: number, gap: number): () => void {
    const found = complete(kind, added, each, { at, gap, known: records.items.length })
    const ids = new Set<string>()
    for (const [index, id] of found.map(idOf).entries()) {
      if (ids.has(id))
        throw new ConfigurationError(`${kind}[${index}]: ${id} is already the id of another record`)
      ids.add(id)
    }
    // One that is published again replaces the one before; the service repeats no id.
    const others = records.items.filter((record) => !ids.has(idOf(record)))
    const items = [...found, ...others].sort((a, b) => b.at - a.at)
    return () => void (records.items = items)
  }
}

function indexedPost({ lang = 'en', ...given }: SandboxPost, place: Place): IndexedPost {
  const { field, serial, time } = place
  const { microblog: empty } = defaults
  const { id = String(serial), author = empty.author, timestamp = time } = given
  const url = pageOfPost(author, id)
  const engagements = { ...empty.engagements, ...given.engagements }
  const post: MicroblogPost = { ...empty, id, author, name: author, timestamp, url, ...given, engagements }
  assertValid(field, microblogPost, post)
  return indexPost(post, timeOf(field, timestamp), lang)
}

function networkPost(given: SandboxNetworkPost, { field, serial, time }: Place): NetworkPost {
  const { actor, social_details } = defaults.professionalnet
  const activity = given.urn?.split(':').at(-1) ?? String(serial)
  const post: ProfessionalnetPost = {
    share_url: `https://professionalnet.example/posts/ada-activity-${activity}`,
    postedAt: time,
    ...urnsOf(activity),
    ...given,
    actor: { ...actor, ...given.actor },
    social_details: { ...social_details, ...given.social_details },
  }
  assertValid(field, professionalnetPost, post)
  return { ...indexNetworkPost(post, timeOf(field, post.postedAt)), topic: anything, author: null }
}

function listener(given: object, { field, serial }: Place): Listener {
  const made = { id: `lis_${serial}`, name: `Listener ${serial}` }
  const record = { ...defaults.listener, ...made, ...given }
  assertValid(field, listenersGet.pathId.schema, record.id)
  return record
}

function mentionBy(listenerId = 'lis_0') {
  return (given: object, { field, serial, time }: Place): IndexedMention => {
    const ids = { id: `men_${serial}`, listenerId }
    const made = { url: pageOfPost('ada', String(serial)), publishedAt: time }
    const mention = { ...ids, ...defaults.mention, ...made, ...given } as Mention
    assertValid(field, mentionsGet.pathId.schema, mention.id)
    return { mention, at: timeOf(field, mention.publishedAt), words: '' }
  }
}

function companyProfile(given: SandboxCompany, { field, serial }: Place): ProfessionalnetCompany {
  const company = companyOf(given, String(serial))
  assertValid(field, professionalnetCompany, company)
  return company
}

function assertValid(field: string, schema: Schema, value: unknown): void {
  const issues = check(schema, value)
  if (issues.length > 0) throw new ConfigurationError(`${field}: ${issuesText(issues, 'id')}`)
}

function timeOf(field: string, value: string): number {
  const at = parseTime(value)
  if (Number.isNaN(at)) throw new ConfigurationError(`${field}: ${JSON.stringify(value)} is not a time`)
  return at
}

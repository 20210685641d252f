import type { MicroblogPost } from '../../api/endpoints/microblog.ts'
import type { ProfessionalnetPost } from '../../api/endpoints/professionalnet/posts.ts'
import { parseTime } from '../../lib/time.ts'
import { type IndexedPost, indexPost, pageOfPost } from './post-index.ts'
import { type IndexedMention, type Listener, type Mention, createListeners } from './organization.ts'
import defaults from './own-defaults.json' with { type: 'json' }
import {
  assertShape,
  companyShape,
  contentShape,
  listenerShape,
  mentionShape,
  microblogShape,
  networkShape,
  publicationShape,
} from './shapes.ts'
import type { Own } from './post-store.ts'
import { type Company, companyOf } from './professionalnet/companies.ts'
import { type NetworkPost, indexNetworkPost, urnsOf } from './professionalnet/posts.ts'
import { anything } from './compose-post.ts'
import type {
  SandboxCompany,
  SandboxContent,
  SandboxNetworkPost,
  SandboxPost,
  SandboxPublication,
} from './types.ts'

/**
 * Checks and completes a record. `field` names it in errors, `serial` counts the records of its kind from 1, and `time` is its
 * time by default.
 */
type Complete<Given, Made> = (given: Given, place: { field: string; serial: number; time: string }) => Made

/**
 * Checks and completes the content of a test. A post without a time is a minute older than the one before it, and a published
 * one as new as the clock says.
 *
 * @throws {TypeError} for a post that the service would not send.
 */
export function ownContentOf(content: SandboxContent, seed: number, now: () => number) {
  const option = 'createSandbox() option content'
  assertShape(contentShape, option, content)
  const companies = complete(`${option}.companies`, content.companies, companyProfile)
  const listeners = content.listeners
    ? complete(`${option}.listeners`, content.listeners, listener)
    : createListeners(seed)
  const mention = mentionBy(listeners[0]?.id)
  const microblog: Own<IndexedPost> = { isAlone: content.microblog !== undefined, items: [] }
  const professionalnet: Own<NetworkPost> = { isAlone: content.professionalnet !== undefined, items: [] }
  const mentions: Own<IndexedMention> = { isAlone: content.mentions !== undefined, items: [] }
  add(content, `${option}.`, 60_000)
  return {
    ...{ microblog, professionalnet, mentions, listeners, companies },
    publish: (given: SandboxPublication): void => {
      const content = (Array.isArray(given) ? { microblog: given } : given) as SandboxContent
      assertShape(publicationShape, 'publish() content', content)
      add(content, 'publish() ')
    },
  }

  function add(content: SandboxContent, where: string, gap = 0): void {
    const after = ({ items }: Own<unknown>) => ({ at: now(), gap, known: items.length })
    const posts = complete(`${where}microblog`, content.microblog, microblogPost, after(microblog))
    const given = content.professionalnet
    const networkPosts = complete(`${where}professionalnet`, given, networkPost, after(professionalnet))
    const found = complete(`${where}mentions`, content.mentions, mention, after(mentions))
    // If one record is refused, none is added.
    const allPosts = withNew(`${where}microblog`, posts, microblog.items, ({ post }) => post.id)
    const allNetworkPosts = withNew(`${where}professionalnet`, networkPosts, professionalnet.items, urnOf)
    mentions.items = withNew(`${where}mentions`, found, mentions.items, ({ mention }) => mention.id)
    microblog.items = allPosts
    professionalnet.items = allNetworkPosts
  }
}

const urnOf = ({ post }: NetworkPost): string => post.urn

/** Records with new ones before them. One that is published again takes the place of the one before; the service repeats no id. */
function withNew<T>(
  field: string,
  found: readonly T[],
  known: readonly T[],
  idOf: (record: T) => string,
): T[] {
  const ids = new Set<string>()
  for (const [index, id] of found.map(idOf).entries()) {
    if (ids.has(id)) throw new TypeError(`${field}[${index}]: ${id} is already the id of another record`)
    ids.add(id)
  }
  return [...found, ...known.filter((record) => !ids.has(idOf(record)))]
}

function complete<Given, Made>(
  field: string,
  records: readonly Given[] | undefined = [],
  each: Complete<Given, Made>,
  { at = 0, gap = 0, known = 0 } = {},
): Made[] {
  return records.map((record, index) => {
    const time = new Date(at - gap * index).toISOString()
    const place = { field: `${field}[${index}]`, serial: known + index + 1, time }
    // As it would be sent: fields that are undefined are absent.
    return each(JSON.parse(JSON.stringify(record)) as Given, place)
  })
}

const microblogPost: Complete<SandboxPost, IndexedPost> = ({ lang = 'en', ...given }, place) => {
  const { field, serial, time } = place
  const { microblog: empty } = defaults
  const { id = String(serial), author = empty.author, timestamp = time } = given
  const url = pageOfPost(author, id)
  const engagements = { ...empty.engagements, ...given.engagements }
  const post: MicroblogPost = { ...empty, id, author, name: author, timestamp, url, ...given, engagements }
  assertShape(microblogShape, field, post)
  return indexPost(post, parsedTime(field, 'timestamp', timestamp), lang)
}

const networkPost: Complete<SandboxNetworkPost, NetworkPost> = (given, { field, serial, time }) => {
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
  assertShape(networkShape, field, post)
  const indexed = indexNetworkPost(post, parsedTime(field, 'postedAt', post.postedAt))
  return { ...indexed, topic: anything, author: null }
}

const listener: Complete<object, Listener> = (given, { field, serial }) => {
  const made = { id: `lis_${serial}`, name: `Listener ${serial}` }
  const record = { ...defaults.listener, ...made, ...given }
  assertShape(listenerShape, field, record)
  return record
}

function mentionBy(listenerId = 'lis_0'): Complete<object, IndexedMention> {
  return (given, { field, serial, time }) => {
    const ids = { id: `men_${serial}`, listenerId }
    const made = { url: pageOfPost('ada', String(serial)), publishedAt: time }
    const mention = { ...ids, ...defaults.mention, ...made, ...given } as Mention
    assertShape(mentionShape, field, mention)
    return { mention, at: parsedTime(field, 'publishedAt', mention.publishedAt), words: '' }
  }
}

const companyProfile: Complete<SandboxCompany, Company> = (given, { field, serial }) => {
  const company = companyOf(given, String(serial))
  assertShape(companyShape, field, company)
  return company
}

function parsedTime(field: string, name: string, value: string): number {
  const at = parseTime(value)
  if (Number.isNaN(at)) throw new TypeError(`${field}: ${name} must be a time`)
  return at
}

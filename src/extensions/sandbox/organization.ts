import { parseTime } from '../../lib/time.ts'
import { pageIn, pageOf, requiredText, SandboxError, textIn } from './answers.ts'
import { topics } from './compose-post.ts'
import { makePost } from './microblog.ts'
import defaults from './own-defaults.json' with { type: 'json' }
import {
  type Item,
  type Make,
  type Own,
  type PostStoreSettings,
  createPostStore,
  makeUp,
} from './post-store.ts'
import { createRandom } from './random.ts'

/** A match that a listener found. Its fields are made up: the service documents none but the form of the id. */
export interface Mention extends Record<string, unknown> {
  readonly id: string
  readonly publishedAt: string
  /** 0 to 100. */
  readonly fitScore: number
  readonly state: string
}

/** A mention, with its time and, since none is searched, no words. */
export interface IndexedMention extends Item {
  readonly mention: Mention
}

const mentionCount = 240

/** A mention is a microblog post about a keyword of a listener, found on one of its networks. */
function makeMentions(listeners: readonly Listener[]): Make<IndexedMention> {
  return (random, at) => {
    const { id: listenerId, keywords, networks } = random.pick(listeners)
    const network = random.pick(networks)
    const query = keywords.length > 0 ? random.pick(keywords) : ''
    const { id, author, body, timestamp } = makePost(random, at, query).post
    const mention = {
      ...{ id: `men_${random.hex(16)}`, listenerId, network, author, text: body, publishedAt: timestamp },
      url: `https://${network}.example/${author}/${id}`,
      fitScore: random.integer(0, 100),
      state: random.pick(['new', 'new', 'new', 'new', 'seen', 'done', 'ignored']),
    }
    return { mention, at, words: '' }
  }
}

/**
 * Makes the mentions of one sandbox. Requests and responses are made up: `list` takes `cursor`, `count`, `sort`
 * (`newest` or `fitScore`) and, like `count`, `state`, `network`, `listenerId`, `minFitScore`, `since` (included) and
 * `until` (not); `setState` takes any text as `state`.
 */
export function createMentions(
  settings: PostStoreSettings,
  own: Own<IndexedMention>,
  listeners: readonly Listener[],
) {
  const active = listeners.filter(({ networks }) => networks.length > 0)
  const madeUp = makeUp('mentions', makeMentions(active))
  const store = createPostStore(settings, madeUp, active.length === 0 ? 0 : mentionCount, own)
  const changed = new Map<string, Mention['state']>()

  /** All mentions of a time with their states of now, newest first. */
  function all(at = store.now()): Mention[] {
    return store.all(at).map(({ mention }) => {
      const state = changed.get(mention.id)
      return state === undefined ? mention : { ...mention, state }
    })
  }

  return {
    list(input: unknown) {
      const isByFit = textIn(input, 'sort') === 'fitScore'
      const { test, wanted } = filtersIn(input)
      const search = ['mentions', settings.seed, isByFit, wanted]
      const request = { ...pageIn(input, 100, 20), search, now: store.now() }
      const byFitScore = (a: Mention, b: Mention) => (isByFit ? b.fitScore - a.fitScore : 0)
      const { page, meta } = pageOf(request, (at) => all(at).sort(byFitScore), test)
      return { mentions: page, meta }
    },
    count: (input: unknown) => ({ count: all().filter(filtersIn(input).test).length }),
    get: (id: string) => getRecord('mention', all(), id),
    setState(id: string, input: unknown) {
      getRecord('mention', all(), id)
      changed.set(id, requiredText(input, 'state'))
      return getRecord('mention', all(), id)
    },
  }
}

function filtersIn(input: unknown) {
  const names = ['state', 'network', 'listenerId', 'since', 'until', 'minFitScore']
  const wanted = names.flatMap((name) => {
    const value = textIn(input, name)
    return value === undefined ? [] : [[name, value] as const]
  })
  const { since, until, minFitScore, ...same } = Object.fromEntries(wanted)
  const test = (mention: Mention): boolean => {
    const time = parseTime(mention.publishedAt)
    const isOutside = time < parseTime(since) || time >= parseTime(until)
    const isUnfit = mention.fitScore < Number(minFitScore)
    return !isOutside && !isUnfit && Object.entries(same).every(([name, value]) => mention[name] === value)
  }
  return { wanted, test }
}

/** A brand or keyword monitor. Its fields are made up: the service documents none but the form of the id. */
export interface Listener {
  readonly id: string
  readonly name: string
  readonly keywords: readonly string[]
  readonly networks: readonly string[]
}

type Records = readonly { readonly id: string }[]

export function createListeners(seed: number): Listener[] {
  const random = createRandom(`${seed}/listeners`)
  return topics.map(({ keyword }) => ({
    ...{ id: `lis_${random.hex(16)}`, name: `Mentions of ${keyword}`, keywords: [keyword] },
    networks: defaults.listener.networks,
  }))
}

/** Saved views of mentions; their fields are made up as well. */
export function createFeeds(seed: number, listeners: readonly Listener[]): Records {
  const random = createRandom(`${seed}/feeds`)
  return ['Everything', 'Best fits', 'Engineering', 'Daily digest', 'For the team meeting'].map((name) => ({
    ...{ id: `svw_${random.hex(16)}`, name },
    listenerIds: listeners.filter(() => random.chance(0.5)).map(({ id }) => id),
  }))
}

/**
 * Lists records under a property, with the `meta` of a search by cursor. That and the parameters `cursor` and `count` are
 * made up: the service does not document these lists.
 */
export function listRecords(property: string, records: Records, input: unknown): object {
  const search = [property, records[0]?.id]
  const { page, meta } = pageOf({ ...pageIn(input, 100, 20), search }, () => records)
  return { [property]: page, meta }
}

/** Finds a record by its id. The body and the 404 are made up. */
export function getRecord<T extends { readonly id: string }>(
  property: string,
  records: readonly T[],
  id: string,
) {
  const record = records.find((each) => each.id === id)
  if (record === undefined) throw new SandboxError(404, { message: `No ${property} with the id ${id}` })
  return { [property]: record }
}

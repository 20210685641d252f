import { invalid } from '../responses.ts'
import { createAuthors } from '../authors.ts'
import { composeOriginal } from '../compose-post.ts'
import { memoizeLatest } from '../memoize-latest.ts'
import { pageOf } from '../pages.ts'
import { Params } from '../params.ts'
import { type Topic, english, anything, topicAbout } from '../phrases/languages.ts'
import { createRandom } from '../random.ts'
import { type Make, makeUp } from '../series.ts'
import { type Own, type PostStoreSettings, createPostStore } from '../post-store.ts'
import { getRecord, type Listener, networks } from './monitors.ts'

/** States of a mention; made up, and any may follow any: the service documents neither states nor transitions. */
const states = ['new', 'seen', 'done', 'ignored'] as const

/** A match that a listener found. Its fields are made up: the service documents none but the form of the id. */
export interface Mention extends Record<string, unknown> {
  readonly id: string
  readonly publishedAt: string
  /** 0 to 100. */
  readonly fitScore: number
  readonly state: (typeof states)[number]
}

/** A mention, with its time and, since none is searched, no words. */
export interface IndexedMention {
  readonly mention: Mention
  readonly at: number
  readonly words: ''
}

const mentionCount = 240

function makeMentions(listeners: readonly Listener[]): Make<IndexedMention> {
  const peopleOf = memoizeLatest((seed: number) => createAuthors(createRandom(`${seed}/mentions`)))
  return (random, at, { seed }) => {
    const listener = random.pick(listeners)
    const author = random.pick(peopleOf(seed)).handle
    const network = random.pick(listener.networks)
    const mention = {
      ...{ id: `men_${random.hex(16)}`, listenerId: listener.id, network },
      text: composeOriginal(random, topicsOf(listener), peopleOf(seed)),
      publishedAt: new Date(at).toISOString(),
      ...{ author, url: `https://${network}.example/${author}/${random.hex(10)}` },
      fitScore: random.integer(0, 100),
      state: random.pick(['new', 'new', 'new', ...states] as const),
    }
    return { mention, at, words: '' }
  }
}

function topicsOf({ keywords }: Listener): readonly Topic[] {
  const topics = english.topics.filter(({ keyword }) => keywords.includes(keyword))
  return topics.length > 0 ? topics : [topicAbout(keywords.join(' ')) ?? anything]
}

/**
 * Makes the mentions of one sandbox. Requests and responses are made up: `list` takes `cursor`, `count`, `sort`
 * (`newest` or `fitScore`) and, like `count`, `state`, `network` and `listenerId`; `setState` takes `state`.
 */
export function createMentions(
  settings: PostStoreSettings,
  own: Own<IndexedMention>,
  listeners: readonly Listener[],
) {
  const madeUp = makeUp('mentions', makeMentions(listeners))
  const store = createPostStore(settings, own, madeUp, listeners.length === 0 ? 0 : mentionCount)
  const changed = new Map<string, Mention['state']>()

  /** All mentions of a moment with their states of now, newest first. */
  function all(moment = store.now()): Mention[] {
    return store.all(moment).map(({ mention }) => {
      const state = changed.get(mention.id)
      return state === undefined ? mention : { ...mention, state }
    })
  }

  return {
    list(input: unknown) {
      const params = new Params(input)
      const sort = params.choice('sort', ['newest', 'fitScore']) ?? 'newest'
      const { test, filters } = readFilters(params)
      const search = ['mentions', settings.seed, sort, filters]
      const request = { ...params.page('count', 100, 20), search, now: store.now() }
      const byFitScore = (a: Mention, b: Mention) => (sort === 'newest' ? 0 : b.fitScore - a.fitScore)
      const { page, meta } = pageOf(request, (moment) => all(moment).sort(byFitScore), test)
      return { mentions: page, meta }
    },
    count(input: unknown) {
      const params = new Params(input)
      const { test } = readFilters(params)
      params.check()
      return { count: all().filter(test).length }
    },
    get: (id: string) => getRecord('mention', all(), id),
    setState(id: string, input: unknown) {
      getRecord('mention', all(), id)
      const params = new Params(input)
      const state = params.choice('state', states)
      params.check()
      if (state === undefined) throw invalid([{ path: 'state', message: 'is required' }])
      changed.set(id, state)
      return getRecord('mention', all(), id)
    },
  }
}

function readFilters(params: Params) {
  const filters = {
    state: params.choice('state', states),
    network: params.choice('network', networks),
    listenerId: params.text('listenerId'),
  }
  const wanted = Object.entries(filters).filter(([, value]) => value !== undefined)
  return { filters, test: (mention: Mention) => wanted.every(([name, value]) => mention[name] === value) }
}

import type { Outcome } from '../responses.ts'
import { createAuthors } from '../authors.ts'
import { composeOriginal } from '../compose-post.ts'
import { newest } from '../corpus.ts'
import { pageFrom, startOf } from '../pages.ts'
import { type Params, createParams } from '../params.ts'
import { english } from '../phrases/languages.ts'
import { createRandom } from '../random.ts'
import { memoizeLatest } from '../memoize-latest.ts'
import { getRecord, type Listener, createListeners, networks } from './monitors.ts'

/** States of a mention; made up, and any may follow any: the service documents neither states nor transitions. */
const states = ['new', 'seen', 'done', 'ignored'] as const

/** A match that a listener found. Its fields are made up: the service documents none but the form of the id. */
interface Mention {
  readonly id: string
  readonly listenerId: string
  readonly network: string
  readonly text: string
  readonly author: string
  readonly url: string
  readonly publishedAt: string
  /** 0 to 100. */
  readonly fitScore: number
  readonly state: (typeof states)[number]
}

/** The mentions of one sandbox, whose states can change. */
export interface Mentions {
  list(input: unknown): Outcome
  count(input: unknown): Outcome
  get(id: string): Outcome
  setState(id: string, input: unknown): Outcome
}

const mentionCount = 240

const mentionsOf = memoizeLatest((seed): readonly Mention[] => {
  const random = createRandom(`${seed}/mentions`)
  const listeners = createListeners(seed)
  const people = createAuthors(random)
  let at = newest
  return Array.from({ length: mentionCount }, () => {
    const listener = random.pick(listeners)
    const author = random.pick(people)
    const network = random.pick(listener.networks)
    at -= 1000 * random.integer(60, 40_000)
    return {
      id: `men_${random.hex(16)}`,
      listenerId: listener.id,
      network,
      text: writeFor(listener),
      author: author.handle,
      url: `https://${network}.example/${author.handle}/${random.hex(10)}`,
      publishedAt: new Date(at).toISOString(),
      fitScore: random.integer(0, 100),
      state: random.pick(['new', 'new', 'new', ...states] as const),
    }
  })

  function writeFor({ keywords }: Listener): string {
    const topics = english.topics.filter(({ keyword }) => keywords.includes(keyword))
    return composeOriginal(random, topics, people)
  }
})

/**
 * Makes the mentions of one sandbox. Requests and responses are made up: `list` takes `cursor`, `limit`, `sort`
 * (`newest` or `fitScore`) and, like `count`, `state`, `network` and `listenerId`; `setState` takes `state`.
 */
export function createMentions(seed: number): Mentions {
  const changed = new Map<string, Mention['state']>()

  /** All mentions as they are now, newest first. */
  function current(): Mention[] {
    return mentionsOf(seed, mentionCount).map((mention) => ({
      ...mention,
      state: changed.get(mention.id) ?? mention.state,
    }))
  }

  return {
    list(input) {
      const params = createParams(input)
      const count = params.count('limit', 100, 20)
      const sort = params.choice('sort', ['newest', 'fitScore']) ?? 'newest'
      const { test, filters } = readFilters(params)
      const search = JSON.stringify(['mentions', seed, sort, filters])
      const offset = startOf(params.text('cursor'), search, params.issues)
      if (params.issues.length > 0) return { issues: params.issues }

      const all = current()
      if (sort === 'fitScore') all.sort((a, b) => b.fitScore - a.fitScore)
      const { page, meta } = pageFrom(all, { offset, count, search, test })
      return { body: { mentions: page, meta } }
    },
    count(input) {
      const params = createParams(input)
      const { test } = readFilters(params)
      if (params.issues.length > 0) return { issues: params.issues }
      return { body: { count: current().filter(test).length } }
    },
    get: (id) => getRecord('mention', current(), id),
    setState(id, input) {
      const params = createParams(input)
      params.requiredText('state')
      const state = params.issues.length > 0 ? undefined : params.choice('state', states)
      const found = getRecord('mention', current(), id)
      if ('missing' in found) return found
      if (state === undefined) return { issues: params.issues }
      changed.set(id, state)
      return getRecord('mention', current(), id)
    },
  }
}

function readFilters(params: Params) {
  const state = params.choice('state', states)
  const network = params.choice('network', networks)
  const listenerId = params.text('listenerId')
  return {
    filters: { state, network, listenerId },
    test: (mention: Mention): boolean =>
      (state === undefined || mention.state === state) &&
      (network === undefined || mention.network === network) &&
      (listenerId === undefined || mention.listenerId === listenerId),
  }
}

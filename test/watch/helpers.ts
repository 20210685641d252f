import {
  type WatchBatch,
  type WatchOptions,
  type WatchState,
  watchSearch,
} from '../../src/extensions/watch/index.ts'
import { Feed } from './feed.ts'

let feeds = 0

export function setUp(before = 30, options: WatchOptions = {}) {
  const feed = new Feed(`watch ${++feeds}`)
  feed.post(before)
  const start = (more: WatchOptions = {}) =>
    watchSearch(feed.client.microblog, { query: 'acme' }, { minInterval: 1, ...options, ...more })
  return { feed, start, batches: start() }
}

export async function next(batches: AsyncGenerator<WatchBatch>): Promise<WatchBatch> {
  const { value } = await batches.next()
  return value as WatchBatch
}

/** All posts, the last state and the error of a watch that ends. */
export async function drain(batches: AsyncGenerator<WatchBatch>) {
  const all: number[] = []
  let last: WatchState | undefined
  let error: unknown
  try {
    for await (const batch of batches) {
      all.push(...idsOf(batch))
      last = JSON.parse(JSON.stringify(batch.state)) as WatchState
    }
  } catch (reason) {
    error = reason
  }
  return { all: all.sort((a, b) => a - b), last, error }
}

export const idsOf = ({ posts }: WatchBatch) => posts.map(({ id }) => Number(id))
export const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n)

export const newFeed = () => new Feed(`numbered ${++feeds}`)

/** Polls the numbered pages of the professional network once. */
export async function pollNetwork({ client, requests }: Feed, state: unknown, options: WatchOptions = {}) {
  const before = requests.length
  const ids: number[] = []
  const watch = { once: true, ...options, state: state as WatchState | null }
  for await (const batch of watchSearch(client.professionalnet.posts, { query: 'acme' }, watch)) {
    ids.push(...batch.posts.map(({ urn }) => Number(urn)))
    state = batch.state
  }
  return { ids: ids.sort((a, b) => a - b), state: state as WatchState, requests: requests.length - before }
}

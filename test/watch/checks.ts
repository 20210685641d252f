import { expect } from 'vitest'
import {
  type WatchGap,
  type WatchOptions,
  type WatchState,
  watchSearch,
} from '../../src/extensions/watch/index.ts'
import { range, setUp } from './helpers.ts'

export const [minute, hour] = [60_000, 3_600_000]
export const now = Date.UTC(2026, 10, 20)

export type Network = 'microblog' | 'professionalnet'
export type Answer = (cursor?: string) => Response | undefined

const idOf = (post: { id: string } | { urn: string }) => Number('urn' in post ? post.urn : post.id)
export const sorted = (ids: readonly number[]) => ids.toSorted((a, b) => a - b)

/** A feed that has posted once a minute until now, and checks of it from one stored state to the next. */
export function setUpChecks(before: number, options: WatchOptions = {}, network: Network = 'microblog') {
  const { feed } = setUp(before)
  const { microblog, professionalnet } = feed.client
  const watch = (more: WatchOptions) =>
    network === 'microblog'
      ? watchSearch(microblog, { query: 'acme' }, { once: true, ...options, ...more })
      : watchSearch(professionalnet.posts, { query: 'acme' }, { once: true, ...options, ...more })
  feed.start = now - before * minute
  let state: WatchState | null = null
  const found: number[] = []
  const known = new Set<number>()
  /** The gaps that are left. No post comes twice. */
  const check = async (more: WatchOptions = {}): Promise<readonly WatchGap[]> => {
    let gaps: readonly WatchGap[] = []
    try {
      for await (const batch of watch({ state, ...more })) {
        found.push(...batch.posts.map(idOf))
        for (const post of [...batch.posts, ...batch.known]) known.add(idOf(post))
        state = JSON.parse(JSON.stringify(batch.state)) as WatchState
        ;({ gaps } = batch)
      }
    } catch (error) {
      expect(error).toMatchObject({ charged: expect.any(String) as string })
    }
    expect(new Set(found).size).toBe(found.length)
    return gaps
  }
  /** Posts that nobody has seen, and that no gap lists. */
  const lost = (gaps: readonly WatchGap[]): number[] =>
    feed.ids.map(Number).filter((id) => {
      const time = Date.parse(feed.timeOf(String(id)))
      const isMissing = gaps.some(
        ({ from, to }) => Date.parse(from ?? '') <= time && time <= Date.parse(to ?? ''),
      )
      return !known.has(id) && !isMissing && Math.min(...known) < id && id < Math.max(...known)
    })
  /** Requests of a check. */
  const pagesOf = async (more: WatchOptions = {}) => {
    const { length } = feed.requests
    await check(more)
    return feed.requests.length - length
  }
  return {
    ...{ feed, check, found, lost, pagesOf },
    /** How the service answers from now on, if not truly: all requests, those for the newest page, and others. */
    all: (answer: Answer) => void (feed.onRequest = answer),
    newest: (answer: Answer) => void (feed.onRequest = (at) => (at === undefined ? answer() : undefined)),
    later: (answer: Answer) => void (feed.onRequest = (at) => (at === undefined ? undefined : answer(at))),
  }
}

/** An answer that does not lie. */
export const truth = () => undefined
export const listed = (from: number, to: number) => range(from, to).map(String).toReversed()

export type World = ReturnType<typeof setUpChecks>

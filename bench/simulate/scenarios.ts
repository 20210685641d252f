import { microblogSearch } from '../../src/api/endpoints/microblog.ts'
import { professionalnetPostsSearch } from '../../src/api/endpoints/professionalnet/posts.ts'
import { technewsSearch } from '../../src/api/endpoints/technews.ts'
import type { Operation } from '../../src/api/operation.ts'
import type { WindowKind } from './windows.ts'

/** The conditions of the calls. */
export interface Scenario {
  readonly name: string
  readonly about: string
  readonly window: WindowKind
  /** Whether a refused request counts like an accepted one. */
  readonly countsRejects: boolean
  /** Latency in milliseconds, minimum and maximum, drawn for each request and each response. */
  readonly network: readonly [number, number]
  /** Whether responses have a `Date`, as those of most servers do. */
  readonly dates: boolean
  /** Number of our processes in the organization; calls are distributed in turn. */
  readonly processes: number
  /** Whether each process starts after the previous one has ended, without its state. */
  readonly inTurn: boolean
  /** Surfaces; calls use them in turn. */
  readonly operations: readonly Operation[]
  /** Foreign requests a minute, at random times, to the first surface. */
  readonly foreignPerMinute: number
  /** Shares of the admitted requests that end in a 503 with Retry-After, or in a reset. */
  readonly faults: { readonly unavailable: number; readonly reset: number }
}

/** Minimum and maximum time that the service spends on a request, in milliseconds. */
export const serviceMs = [300, 5000] as const

const alone: Scenario = {
  name: 'alone',
  about: 'one process, one surface, sliding window, network 20-80 ms',
  window: 'sliding',
  countsRejects: false,
  network: [20, 80],
  dates: true,
  processes: 1,
  inTurn: false,
  operations: [professionalnetPostsSearch],
  foreignPerMinute: 0,
  faults: { unavailable: 0, reset: 0 },
}

const scenario = (name: string, about: string, changes: Partial<Scenario>): Scenario => ({
  ...alone,
  ...changes,
  name,
  about,
})

/** Each differs from `alone` only as its text says. */
export const scenarios: readonly Scenario[] = [
  alone,
  scenario('jitter', 'network 20-800 ms', { network: [20, 800] }),
  scenario('no-dates', 'network 20-800 ms, and answers do not say when they were made', {
    network: [20, 800],
    dates: false,
  }),
  scenario('rejects-count', 'requests that are turned away count too', { countsRejects: true }),
  scenario('fixed-window', 'fixed window of unknown phase', { window: 'fixed' }),
  scenario('token-bucket', 'token bucket: a token every 3 s', { window: 'bucket' }),
  scenario('surfaces', 'three surfaces in turn: the slots are the bottleneck', {
    operations: [professionalnetPostsSearch, microblogSearch, technewsSearch],
  }),
  scenario('faults', '2 % of 503, 1 % of resets, after which ours gives up: the call may have been paid', {
    faults: { unavailable: 0.02, reset: 0.01 },
  }),
  scenario('2-processes', '2 processes', { processes: 2 }),
  scenario('3-processes', '3 processes', { processes: 3 }),
  scenario('4-processes', '4 processes', { processes: 4 }),
  scenario('8-processes', '8 processes', { processes: 8 }),
  scenario('2-processes-rejects', '2 processes, requests that are turned away count too', {
    processes: 2,
    countsRejects: true,
  }),
  scenario('3-processes-rejects', '3 processes, requests that are turned away count too', {
    processes: 3,
    countsRejects: true,
  }),
  scenario('restart', 'half of the calls, then a new process for the others', { processes: 2, inTurn: true }),
  scenario('foreign-light', 'somebody else sends 4 requests a minute', { foreignPerMinute: 4 }),
  scenario('foreign-heavy', 'somebody else sends 12 requests a minute', { foreignPerMinute: 12 }),
  scenario('foreign-rejects', 'somebody else sends 4 a minute, and requests turned away count too', {
    foreignPerMinute: 4,
    countsRejects: true,
  }),
]

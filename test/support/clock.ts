import { afterEach, beforeEach, vi } from 'vitest'
import { now } from '../clock/now.ts'
import { shiftDate } from '../clock/shift-date.js'

/** Waits in real time, for work that needs a moment of it, such as a digest. */
const realPause = setTimeout.bind(globalThis)

/** Digests run in other threads, in real time. */
const digests = new Set<Promise<unknown>>()
const digest = crypto.subtle.digest.bind(crypto.subtle)
crypto.subtle.digest = (...args) => {
  const work = digest(...args)
  const end = (): boolean => digests.delete(work)
  digests.add(work)
  work.then(end, end)
  return work
}

/** Replaces timers and clocks, and leaves what Node itself runs on. */
export function useVirtualTime(): void {
  vi.useFakeTimers({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'],
    now: Date.UTC(2026, 10, 20),
  })
}

/** Runs each test of a file in virtual time. */
export function virtualTime(): void {
  beforeEach(useVirtualTime)
  afterEach(() => void vi.useRealTimers())
}

/** Lets the clock of the machine begin each test of a file at the time of its sandboxes. It goes on, as locks and leases need it to. */
export function startClock(): void {
  beforeEach(() => shiftDate(now.getTime() - Date.now()))
}

/** How some work ended, and how much virtual time it took. */
export interface Outcome<T> {
  value: T | undefined
  error: unknown
  /** Milliseconds. */
  ms: number
}

/** Lets virtual time pass until the work has settled; fails if it hangs although no timer is left. */
export async function settle<T>(work: PromiseLike<T>): Promise<Outcome<T>> {
  const start = performance.now()
  let outcome: Outcome<T> | undefined
  const took = (): number => performance.now() - start
  void Promise.resolve(work).then(
    (value) => (outcome = { value, error: undefined, ms: took() }),
    (error: unknown) => (outcome = { value: undefined, error, ms: took() }),
  )
  for (let idle = 0; idle < 100;) {
    await realTurns()
    if (outcome !== undefined) return outcome
    if (vi.getTimerCount() > 0) await vi.advanceTimersToNextTimerAsync()
    else if (idle++ > 20) await new Promise((resolve) => realPause(resolve, 10))
  }
  throw new Error('the work hangs: it has not settled, and no timer is left')
}

/** Lets so much virtual time pass, with everything that becomes due in it. */
export async function pass(ms: number): Promise<void> {
  await realTurns()
  const end = performance.now() + ms
  // Hours pass in larger steps: each takes real time.
  const largest = Math.max(100, ms / 500)
  while (performance.now() < end) {
    const step = Math.min(end - performance.now(), largest)
    await vi.advanceTimersByTimeAsync(step)
    await realTurns()
  }
}

/** A signal that is aborted after so many milliseconds. */
export function abortIn(ms: number, reason?: unknown): AbortSignal {
  const abort = new AbortController()
  setTimeout(() => abort.abort(reason), ms)
  return abort.signal
}

/** Gives pending work that does not depend on timers the chance to finish. */
async function realTurns(): Promise<void> {
  for (let turn = 0; turn < 12; turn++) {
    await new Promise((resolve) => setImmediate(resolve))
    await Promise.allSettled(digests)
  }
}

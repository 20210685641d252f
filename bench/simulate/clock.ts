import { type Clock, install } from '@sinonjs/fake-timers'
import type { Random } from '../../src/extensions/sandbox/random.ts'

const realTurn = globalThis.setImmediate

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}

/** The result of work on the virtual clock. */
export interface VirtualRun {
  /** Virtual milliseconds. */
  readonly ms: number
  /** Whether the work was still running at the time limit. */
  readonly isCutOff: boolean
  /** Timers that were left when the work had settled; 0 if it was cut off. */
  readonly timers: number
}

/** Far more timers than any run needs; stops work that loops without time passing. */
const maxTimers = 2_000_000

/**
 * Runs work with virtual clocks, timers and `Math.random`, from timer to timer, up to a virtual time limit. Unfinished
 * work then never continues.
 */
export async function runVirtual(
  work: (clock: Pick<Clock, 'setSystemTime'>) => Promise<unknown>,
  limitMs: number,
  random: Random,
): Promise<VirtualRun> {
  const clock = install({
    toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval', 'performance', 'Date'],
    now: Date.UTC(2026, 10, 20),
  })
  const realRandom = Math.random
  Math.random = () => random.next()
  try {
    const state = { isDone: false, isCutOff: false }
    const start = performance.now()
    setTimeout(() => (state.isCutOff = true), limitMs)
    const settled = work(clock).finally(() => (state.isDone = true))
    // Failures are thrown below, after the work has ended.
    settled.catch(() => {})
    for (let fired = 0; fired < maxTimers; fired++) {
      // Everything in between is microtasks, which all run before the next turn of the real event loop.
      await new Promise((resolve) => realTurn(resolve))
      const ms = performance.now() - start
      if (state.isDone) {
        await settled
        // One is the timer of the time limit.
        return { ms, isCutOff: false, timers: clock.countTimers() - 1 }
      }
      if (state.isCutOff) return { ms, isCutOff: true, timers: 0 }
      // The timer of the time limit always exists.
      if (clock.countTimers() === 1)
        throw new Error('the work hangs: it has not settled, and no timer is left')
      clock.next()
    }
    throw new Error(
      `the work spins: ${maxTimers} timers fired before ${limitMs} ms of virtual time were over`,
    )
  } finally {
    Math.random = realRandom
    clock.uninstall()
  }
}

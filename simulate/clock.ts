import { install } from '@sinonjs/fake-timers'
import type { Random } from '../src/sandbox/random.ts'

const realTurn = globalThis.setImmediate

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, ms))
}

/** How some work ended on the virtual clock. */
export interface VirtualRun {
  /** Virtual milliseconds. */
  readonly ms: number
  /** Whether the work was still under way when its time was up. */
  readonly isCutOff: boolean
}

/** Far more than any run needs; work that spins without time passing ends here. */
const maxTimers = 2_000_000

/**
 * Runs work with clocks, timers and `Math.random` replaced, jumping from timer to timer, and gives up when a virtual
 * time is over. What is left of the work then never runs again.
 */
export async function runVirtual(
  work: () => Promise<unknown>,
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
    const settled = work().finally(() => (state.isDone = true))
    // A failure is thrown below, when the work is over.
    settled.catch(() => {})
    for (let fired = 0; fired < maxTimers; fired++) {
      // Everything in between is microtasks, which all run before the next turn of the real loop.
      await new Promise((resolve) => realTurn(resolve))
      const ms = performance.now() - start
      if (state.isDone) {
        await settled
        return { ms, isCutOff: false }
      }
      if (state.isCutOff) return { ms, isCutOff: true }
      // The one that cuts off is always there.
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

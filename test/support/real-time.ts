import type { Outcome } from './clock.ts'

/** How a suite that runs in either kind of time lets it pass. */
export interface Time {
  pass(ms: number): Promise<void>
  settle<T>(work: PromiseLike<T>): Promise<Outcome<T>>
}

/** Time as it is. */
export const realTime: Time = {
  pass: (ms) => new Promise((resolve) => setTimeout(resolve, ms)),
  async settle(work) {
    const start = performance.now()
    const took = (): number => performance.now() - start
    try {
      return { value: await work, error: undefined, ms: took() }
    } catch (error) {
      return { value: undefined, error, ms: took() }
    }
  },
}

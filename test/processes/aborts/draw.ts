import { createRandom } from '../../../src/extensions/sandbox/random.ts'

const random = createRandom(process.argv[2] ?? '')
export const { chance, pick } = random

export const below = (count: number): number => random.integer(0, count - 1)
export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
export const never = <T>(): Promise<T> => new Promise(() => {})

/** A moment after the start of a call: some turns of the microtask queue, or milliseconds. */
export type Moment = { readonly turns: number } | { readonly ms: number }

export const anyMoment = (): Moment => (chance(0.6) ? { turns: below(40) } : { ms: below(6) })

export async function until(moment: Moment): Promise<void> {
  if ('ms' in moment) return sleep(moment.ms)
  for (let turn = 0; turn < moment.turns; turn++) await Promise.resolve()
}

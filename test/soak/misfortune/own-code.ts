import { sleep } from '../../../bench/simulate/clock.ts'
import type { Random } from '../../../src/extensions/sandbox/random.ts'
import { thrownValues } from '../../support/thrown-values.ts'

/** An error of the caller's own code, which may come back as it is. */
export class CallersError extends Error {}

/** A value that the caller's code throws, which need not be an error. */
export function drawThrown(random: Random): unknown {
  return random.pick(thrownValues)[1]()
}

/** How a piece of the caller's code fails, with what it is in its error. */
export const failures: Readonly<Record<string, (what: string) => Promise<never>>> = {
  throws: (what) => {
    throw new CallersError(`the ${what} threw`)
  },
  rejects: (what) => Promise.reject(new CallersError(`the ${what} rejected`)),
  hangs: () => new Promise<never>(() => {}),
}

/** How a piece of the caller's code that returns nothing fails, if it does. Against its type, it may be async. */
export const crashes: Readonly<Record<string, (random: Random) => void>> = {
  throws: (random) => {
    throw drawThrown(random)
  },
  rejects: (random) => Promise.reject(drawThrown(random)) as never,
}

/** Does the work after some time, in milliseconds. */
export async function late<T>(work: () => T, random: Random, least: number, most: number): Promise<T> {
  await sleep(random.integer(least, most))
  return work()
}

import { isInstance } from '../../src/lib/thrown.ts'
import { awkwardValues } from './awkward-values.ts'

/** Functions that throw, reject with, return or resolve with each awkward value. */
export const awkwardFunctions: readonly (readonly [name: string, fail: () => never])[] =
  awkwardValues.flatMap(([name, make]) =>
    Object.entries<() => unknown>({
      throws: () => {
        throw make()
      },

      'rejects with': () => Promise.reject(make()),
      returns: make,
      'resolves with': () => Promise.resolve(make()),
    }).map(([how, run]) => [`${how} ${name}`, run as () => never] as const),
  )

/** How some work ended, without the error itself: a test runner may fail to print it. */
export async function endOf(work: () => unknown): Promise<string> {
  try {
    await work()
    return 'done'
  } catch (error) {
    return isInstance(error, TypeError) && error.constructor === TypeError
      ? `a raw TypeError: ${error.message}`
      : 'failed'
  }
}

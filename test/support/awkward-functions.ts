import { isInstance, messageOf } from '../../src/lib/thrown.ts'
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

/** Checks each case of a seam in one test, and returns what fails, by the name of the case. */
export async function problemsOf<T>(
  cases: readonly (readonly [name: string, value: T])[],
  check: (value: T) => unknown,
): Promise<string[]> {
  const problems: string[] = []
  for (const [name, value] of cases) {
    try {
      await check(value)
    } catch (error) {
      problems.push(`${name}: ${messageOf(error)}`)
    }
  }
  return problems
}

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

/** Longest text that messages and logs repeat of what user code threw, in characters. */
const maxLength = 1000

/**
 * The message of an error that user code threw, or the text of another value, such as a string. It never throws, whatever the value
 * does when it is read.
 */
export function messageOf(thrown: unknown): string {
  try {
    const text =
      isA(thrown, AggregateError) && thrown.message === ''
        ? // Several addresses refused the connection.
          thrown.errors.map(wordsOf).join(', ')
        : wordsOf(thrown)
    // Only whole words stay: the redactor does not recognize half a secret.
    return text.length > maxLength ? text.slice(0, maxLength - 1).replace(/\S*$/, '…') : text
  } catch {
    return unprintable
  }
}

const unprintable = 'a value that cannot be printed'

function wordsOf(thrown: unknown): string {
  return String(isA(thrown, Error) ? thrown.message : thrown)
}

/** `instanceof`, for a value that user code threw: for a revoked proxy, `instanceof` itself throws. */
export function isA<T>(thrown: unknown, Class: abstract new (...args: never) => T): thrown is T {
  try {
    return thrown instanceof Class
  } catch {
    return false
  }
}

/** Whether an object has a mark, which all copies of this package know. It never throws. */
export function isMarked(value: unknown, mark: symbol): boolean {
  try {
    return typeof value === 'object' && value !== null && mark in value
  } catch {
    return false
  }
}

/** Calls a function of the user that must not fail its caller. What it throws, or its promise rejects with, goes to `failed`. */
export function runUserCallback(work: () => unknown, failed: (error: unknown) => void = () => {}): void {
  let result: unknown
  try {
    result = work()
    // The common case, without a promise.
    if (result === undefined) return
  } catch (error) {
    result = Promise.reject(error)
  }
  new Promise((resolve) => resolve(result)).catch(failed).catch(() => {})
}

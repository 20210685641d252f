/** Longest text that messages and logs repeat of a value of user code, in characters. */
const maxLength = 1000

/**
 * The message of an error, or the text of another value. User code may throw or return a value that cannot be printed:
 * an object without a prototype, a Proxy, an error whose getters throw.
 */
export function messageOf(thrown: unknown): string {
  try {
    return String(isInstance(thrown, Error) ? thrown.message : thrown).slice(0, maxLength)
  } catch {
    return `a value of type ${typeof thrown} that cannot be printed`
  }
}

/** `instanceof` for a value of user code; false for one that cannot be asked, such as a revoked Proxy. */
export function isInstance<T>(value: unknown, Class: abstract new (...args: never) => T): value is T {
  try {
    return value instanceof Class
  } catch {
    return false
  }
}

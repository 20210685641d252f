/** Longest text that messages and logs repeat of a value of user code, in characters. */
const maxLength = 1000

/**
 * The text of a value of user code, such as `TypeError: x is undefined`. It may be a value that cannot be printed: an
 * object without a prototype, a Proxy, an error whose getters throw.
 */
export function textOf(value: unknown): string {
  try {
    const text = String(value)
    // Only whole words stay: the redactor does not recognize half a secret.
    return text.length > maxLength ? text.slice(0, maxLength - 1).replace(/\S*$/, '…') : text
  } catch {
    return `a value of type ${typeof value} that cannot be printed`
  }
}

/** The message of an error that user code threw, or the text of another value. */
export function messageOf(thrown: unknown): string {
  try {
    return textOf(isInstance(thrown, Error) ? thrown.message : thrown)
  } catch {
    return textOf(thrown)
  }
}

/** Calls a function of the user that must not fail its caller. What it throws, or its promise rejects with, goes to `failed`. */
export function runAside(work: () => unknown, failed: (error: unknown) => void = () => {}): void {
  new Promise((resolve) => resolve(work())).catch(failed)
}

/** `instanceof` for a value of user code; false for one that cannot be asked, such as a revoked Proxy. */
export function isInstance<T>(value: unknown, Class: abstract new (...args: never) => T): value is T {
  try {
    return value instanceof Class
  } catch {
    return false
  }
}

/** Longest text that messages and logs repeat of what user code threw, in characters. */
const maxLength = 1000

/** The message of an error that user code threw, or the text of another value, such as a string. */
export function messageOf(thrown: unknown): string {
  // Several addresses refused the connection.
  const isJoined = thrown instanceof AggregateError && thrown.message === ''
  const message: unknown = thrown instanceof Error ? thrown.message : thrown
  const text = isJoined ? thrown.errors.map(messageOf).join(', ') : String(message)
  // Only whole words stay: the redactor does not recognize half a secret.
  return text.length > maxLength ? text.slice(0, maxLength - 1).replace(/\S*$/, '…') : text
}

/** Calls a function of the user that must not fail its caller. What it throws, or its promise rejects with, goes to `failed`. */
export function runUserCallback(work: () => unknown, failed: (error: unknown) => void = () => {}): void {
  new Promise((resolve) => resolve(work())).catch(failed)
}

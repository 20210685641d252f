/** A short id that is unique among processes. Pages without https have no `crypto.randomUUID()`. */
export function randomId(length = 8): string {
  const bytes = crypto.getRandomValues(new Uint8Array(length))
  return Array.from(bytes, (byte) => (byte % 36).toString(36)).join('')
}

/** A closed surface opens after a day at the latest, whatever a server announces. */
const mostMs = 86_400_000

/**
 * The least that a client must wait after a 429, in milliseconds, as far as the answer says it in whole seconds. Other
 * forms, such as dates, may only make it longer.
 */
export function leastWaitMs(headers: readonly (readonly [string, string])[], body: string): number {
  const said = headers.filter(([name]) => name === 'retry-after').map(([, value]) => value)
  const inHeader = said.length === 1 && /^\d+$/.test(said[0] ?? '') ? Number(said[0]) : 0
  const { error, retryAfter } = JSON.parse(body) as { error: { retryAfter?: unknown }; retryAfter?: unknown }
  const inBody = error.retryAfter ?? retryAfter
  const seconds = Math.max(inHeader, Number.isInteger(inBody) ? Number(inBody) : 0)
  return Math.min(mostMs, seconds * 1000)
}

import { ConfigurationError } from '../../errors/index.ts'
import type { Redactor } from '../../lib/redact.ts'

const framing = new Set([
  ...['connection', 'content-length', 'expect', 'host', 'keep-alive', 'proxy-connection', 'te', 'trailer'],
  ...['transfer-encoding', 'upgrade'],
])

/** Whether a header belongs to the connection: the runtime sets it, and refuses or garbles a request that has another. */
export function isFraming(name: string): boolean {
  return framing.has(name.toLowerCase())
}

/** The headers of the user, as an object or as pairs. */
export type HeadersOption = Readonly<Record<string, string>> | Iterable<readonly [string, string]> | Headers

/**
 * Adds headers of the user; one of the same name is replaced.
 *
 * @throws {ConfigurationError} for a header that cannot be sent, or that the client or the runtime sets.
 */
export function addHeaders(base: Headers, added: HeadersOption, redactor: Redactor): Headers {
  const merged = new Headers(base)
  const pairs: readonly unknown[] = Symbol.iterator in added ? [...added] : Object.entries(added)
  for (const pair of pairs) {
    if (!Array.isArray(pair) || pair.length !== 2)
      throw new ConfigurationError('headers must be an object, or pairs of a name and a value')
    const [name, value] = pair.map(String) as [string, string]
    if (name.toLowerCase() === 'authorization')
      throw new ConfigurationError('headers must not hold Authorization; pass apiKey or auth')
    // The runtime's own error repeats the value, which may be a secret.
    const given = redactor.text(JSON.stringify(name))
    if (isFraming(name)) throw new ConfigurationError(`headers must not hold ${given}; the runtime sets it`)
    try {
      merged.set(name, value)
    } catch {
      throw new ConfigurationError(`the header ${given} has a name or value that cannot be sent`)
    }
  }
  return merged
}

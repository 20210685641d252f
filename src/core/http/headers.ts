import { assertObject } from '../../errors/check-options.ts'
import { ConfigurationError } from '../../errors/index.ts'
import { randomId } from '../../lib/hash.ts'
import type { Redactor } from '../../lib/redactor.ts'
import type { BodyFormat } from './answer.ts'
import { inBrowser } from '../../lib/runtime.ts'
import { version } from '../../lib/version.ts'

/** Headers of the connection: the runtime sets them, and refuses or garbles a request that has others. */
const framing =
  /^(connection|content-length|expect|host|keep-alive|proxy-connection|te|trailer|transfer-encoding|upgrade)$/i

/** The headers of the user, as an object or as pairs. Those that are undefined or null are left out. */
export type GivenHeaders =
  | Readonly<Record<string, string | null | undefined>>
  | Iterable<readonly [name: string, value: string | null | undefined]>
  | Headers

/** An attempt of a call, before it is sent. */
export interface AttemptAhead {
  /** The operation, such as `microblog.search`. */
  readonly operation: string
  /** From 1. */
  readonly attempt: number
}

/** The headers of the user, or a function that makes them before each attempt. */
export type HeadersOption = GivenHeaders | ((attempt: AttemptAhead) => GivenHeaders | Promise<GivenHeaders>)

/** Checked headers, by their names in lower case. */
export type PlainHeaders = Readonly<Record<string, string>>

/** Checked headers of the user for every attempt, or what makes those of one. */
export type UserHeaders = PlainHeaders | ((attempt: AttemptAhead) => Promise<PlainHeaders>)

/**
 * Adds headers to those of the user; one of the same name is replaced.
 *
 * @throws {ConfigurationError} for a header that cannot be sent. If a function makes it, the promise of the headers rejects.
 */
export function mergeHeaders(base: UserHeaders, added: HeadersOption, redactor: Redactor): UserHeaders {
  const checked = typeof added === 'function' ? undefined : checkHeaders(added, redactor)
  if (checked && typeof base !== 'function') return { ...base, ...checked }
  return async (attempt) => ({
    ...(typeof base === 'function' ? await base(attempt) : base),
    ...(typeof added === 'function' ? checkHeaders(await added({ ...attempt }), redactor) : checked),
  })
}

/** @throws {ConfigurationError} for a header that cannot be sent, or that the client or the runtime sets. */
function checkHeaders(added: GivenHeaders, redactor: Redactor): PlainHeaders {
  assertObject('headers', added)
  let given: Headers
  try {
    const pairs = Symbol.iterator in added ? [...added] : Object.entries(added)
    // The runtime would send the word "undefined".
    given = new Headers(
      pairs.filter(([, value]) => value !== undefined && value !== null) as [string, string][],
    )
  } catch {
    // The runtime's own error repeats the value, which may be a secret.
    throw new ConfigurationError('headers must be names and values that can be sent')
  }
  for (const name of given.keys()) {
    if (name === 'authorization')
      throw new ConfigurationError('headers must not set Authorization; pass apiKey or auth')
    if (framing.test(name))
      throw new ConfigurationError(`headers must not set ${redactor.text(name)}; the runtime sets it`)
  }
  return Object.fromEntries(given)
}

/**
 * A random id of each attempt, for a proxy only. Browsers send a request again by themselves when a connection ends without an
 * answer: by the id, the proxy knows that it has already forwarded it.
 */
export const attemptHeader = 'social-search-attempt'

/** The headers of each request, but for the credential. @param added Those of the options, and the user agent. */
export function requestHeaders(
  added: PlainHeaders,
  { bodyFormat, isProxy }: { readonly bodyFormat: BodyFormat; readonly isProxy: boolean },
  hasBody: boolean,
): PlainHeaders {
  return {
    ...{ ...added, accept: bodyFormat.accept },
    ...(hasBody && { 'content-type': 'application/json' }),
    ...(hasBody && isProxy && { [attemptHeader]: randomId(20) }),
  }
}

/** Names this package and the runtime, such as `social-search-sdk/0.1.0 node/24`. Browsers send their own name. */
export function userAgent(): PlainHeaders {
  if (inBrowser()) return {}
  const { navigator } = globalThis as { navigator?: { userAgent?: string } }
  const runtime = navigator?.userAgent?.toLowerCase().replace('node.js', 'node') ?? ''
  return { 'user-agent': `social-search-sdk/${version} ${runtime}`.trim() }
}

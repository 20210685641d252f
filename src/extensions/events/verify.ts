import { assertOptions, milliseconds } from '../../errors/check-options.ts'
import { ConfigurationError } from '../../errors/index.ts'

/** A request, read completely. */
export interface Delivery {
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  /** The raw body, to check a signature. */
  readonly body: Uint8Array<ArrayBuffer>
}

/** Decides whether a request is genuine. If it throws, the request is refused. */
export type Verify = (delivery: Delivery) => boolean | Promise<boolean>

/** Options of {@link verifyStandardWebhooks}. */
export interface StandardWebhooksOptions {
  /** The secret in base64, with or without `whsec_`; a list while you replace one. */
  secret: string | readonly string[]
  /** How old a request may be, in milliseconds. Default 300,000. */
  tolerance?: number | undefined
}

const defaultTolerance = 300_000
const algorithm = { name: 'HMAC', hash: 'SHA-256' }

/**
 * Returns a `verify` for senders that sign as https://www.standardwebhooks.com describes, such as Svix. It checks the
 * signature over id, time and bytes of the body, and refuses requests that are too old. Within that time, a request may
 * still come twice: its `webhook-id` is the same.
 *
 * @throws {ConfigurationError} for options that cannot work; the message holds no secret.
 * @example
 * const verify = verifyStandardWebhooks({ secret: 'whsec_…' })
 */
export function verifyStandardWebhooks(options: StandardWebhooksOptions): Verify {
  assertOptions(options, { secret: true, tolerance: true })
  const { tolerance = defaultTolerance } = options
  milliseconds('tolerance', tolerance)
  const list: readonly unknown[] = [options.secret].flat()
  const secrets = list.map((each) => (typeof each === 'string' ? bytesOf(each.replace(/^whsec_/, '')) : null))
  const isKnown = secrets.length > 0 && secrets.every((secret) => secret !== null)
  if (!isKnown)
    throw new ConfigurationError('`secret` must be in base64, such as whsec_ and 32 characters, or a list')

  return async ({ headers, body }) => {
    const sender = headers.has('svix-id') ? 'svix' : 'webhook'
    const [id, time, given] = ['id', 'timestamp', 'signature'].map((name) => headers.get(`${sender}-${name}`))
    if (!id || !given || !time || !/^\d+$/.test(time)) return false
    if (Math.abs(Date.now() - Number(time) * 1000) > tolerance) return false
    const signed = await new Blob([`${id}.${time}.`, body]).arrayBuffer()
    const signatures = given
      .split(' ')
      .flatMap((each) => (each.startsWith('v1,') ? (bytesOf(each.slice(3)) ?? []) : []))
    // Once for each secret: a stranger may send many signatures with a large body.
    const expected = await Promise.all(
      secrets.map(async (secret) => {
        const key = await crypto.subtle.importKey('raw', secret, algorithm, false, ['sign'])
        return new Uint8Array(await crypto.subtle.sign('HMAC', key, signed))
      }),
    )
    // All are compared, so that the time does not tell which one it was.
    return signatures.flatMap((one) => expected.map((other) => areEqual(one, other))).includes(true)
  }
}

/** Compares all bytes, so that the time does not tell where they differ. */
function areEqual(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.reduce((sum, byte, i) => sum | (byte ^ (other[i] ?? 0)), 0) === 0
}

/** Null unless the text is base64: of the texts that `atob` decodes to the same bytes, only one is the signature. */
function bytesOf(base64: string): Uint8Array<ArrayBuffer> | null {
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(base64) || base64.length % 4 !== 0) return null
  const text = atob(base64)
  return btoa(text) === base64 ? Uint8Array.from(text, (character) => character.charCodeAt(0)) : null
}

import { ConfigurationError } from '../../errors/index.ts'
import { assertObject, assertOptions, checked, nonEmptyText } from '../../errors/check-options.ts'
import type { Delivery, Verify } from './receive.ts'

/** How the sender signs. The service documents no signing: choose what your sender uses, such as your own gateway. */
export interface HmacOptions {
  /** The key, as text; several while you replace it. */
  secret: string | readonly string[]
  /** Header with the signature. */
  header: string
  /** Default `SHA-256`. */
  algorithm?: 'SHA-1' | 'SHA-256' | 'SHA-384' | 'SHA-512' | undefined
  /** Default `hex`. */
  encoding?: 'hex' | 'base64' | undefined
  /** Text before the signature in the header, such as `sha256=`. */
  prefix?: string | undefined
  /** Header whose text is signed before the body, so that `replay` can rely on it. Default: only the body is signed. */
  timestampHeader?: string | undefined
  /** Text between the header's text and the body in what is signed. Default `.` */
  separator?: string | undefined
}

/** Location of a shared secret: a header, or the query of the URL. */
export type SharedSecretOptions =
  | {
      /** The secret, or several while you replace one. */
      secret: string | readonly string[]
      header: string
      prefix?: string | undefined
    }
  | { secret: string | readonly string[]; query: string }

const algorithms = ['SHA-1', 'SHA-256', 'SHA-384', 'SHA-512']
/**
 * Returns a `verify` that checks an HMAC of the body. The service documents no signing, so your sender must sign this
 * way. The comparison takes constant time.
 *
 * @throws {ConfigurationError} for options that cannot work; the message holds no secret.
 * @example
 * const verify = verifyHmac({ secret, header: 'x-signature', timestampHeader: 'x-timestamp' })
 */
export function verifyHmac(options: HmacOptions): Verify {
  assertOptions(options, {
    ...{ secret: true, header: true, algorithm: true, encoding: true, prefix: true },
    ...{ timestampHeader: true, separator: true },
  })
  const { algorithm = 'SHA-256', encoding = 'hex', prefix = '', timestampHeader, separator = '.' } = options
  const secrets = secretsOf(options.secret)
  const header = nameOf('header', options.header)
  checked(algorithm, algorithms.includes(algorithm), `algorithm must be one of ${algorithms.join(', ')}`)
  checked(encoding, Object.hasOwn(decoders, encoding), 'encoding must be hex or base64')
  if (timestampHeader !== undefined) nameOf('timestampHeader', timestampHeader)
  nonEmptyText('separator', separator)
  const keys = lazy(() => Promise.all(secrets.map((secret) => hmacKey(secret, algorithm))))

  return async ({ headers, body }) => {
    const given = headers.get(header)
    if (given?.startsWith(prefix) !== true) return false
    const signature = decoders[encoding](given.slice(prefix.length))
    if (signature === null) return false
    const timestamp = timestampHeader === undefined ? undefined : headers.get(timestampHeader)
    // With a separator in the time, part of the body could pass as part of the time.
    if (timestamp === null || timestamp?.includes(separator) === true) return false
    const signed = timestamp === undefined ? body : await new Blob([timestamp, separator, body]).arrayBuffer()
    const matches = await Promise.all(
      (await keys()).map((key) => crypto.subtle.verify('HMAC', key, signature, signed)),
    )
    return matches.includes(true)
  }
}

/**
 * Returns a `verify` that checks a shared secret in a header or the URL. Servers in between may log both, so a
 * signature is safer. The comparison takes constant time.
 *
 * @throws {ConfigurationError} for options that cannot work; the message holds no secret.
 * @example
 * const verify = verifySharedSecret({ secret, query: 'key' }) // https://app.example.com/events?key=…
 */
export function verifySharedSecret(options: SharedSecretOptions): Verify {
  assertObject('options', options)
  const secrets = secretsOf(options.secret)
  const given = giverOf(options)
  // Compare codes of equal length, so that not even the length of the secret leaks.
  const key = lazy(() => hmacKey(crypto.randomUUID(), 'SHA-256'))
  const expected = lazy(async () => {
    const sign = async (secret: string) => crypto.subtle.sign('HMAC', await key(), encoder.encode(secret))
    return Promise.all(secrets.map(sign))
  })

  return async (delivery) => {
    const text = given(delivery)
    if (text === null) return false
    const [own, codes] = [await key(), await expected()]
    const matches = await Promise.all(
      codes.map((code) => crypto.subtle.verify('HMAC', own, code, encoder.encode(text))),
    )
    return matches.includes(true)
  }
}

function giverOf(options: SharedSecretOptions): (delivery: Delivery) => string | null {
  if ('query' in options) {
    assertOptions(options, { secret: true, query: true })
    const query = nameOf('query', options.query)
    return ({ url }) => {
      const values = url.searchParams.getAll(query)
      return values.length === 1 ? (values[0] ?? null) : null
    }
  }
  assertOptions(options, { secret: true, header: true, prefix: true })
  const { prefix = '' } = options
  const header = nameOf('header', options.header)
  return ({ headers }) => {
    const value = headers.get(header)
    return value?.startsWith(prefix) === true ? value.slice(prefix.length) : null
  }
}

function secretsOf(secret: unknown): readonly string[] {
  const secrets: readonly unknown[] = Array.isArray(secret) ? secret : [secret]
  if (secrets.length > 0 && secrets.every((each) => typeof each === 'string' && each !== '')) {
    return [...secrets] as string[]
  }
  throw new ConfigurationError('secret must be a string that is not empty, or a list of such strings')
}

function nameOf(option: string, name: unknown): string {
  const isName = typeof name === 'string' && /^[\w-]+$/.test(name)
  return checked(name as string, isName, `${option} must be the name of a ${option}`)
}

const encoder = new TextEncoder()

function hmacKey(secret: string, hash: string): Promise<CryptoKey> {
  const usages: KeyUsage[] = ['sign', 'verify']
  return crypto.subtle.importKey('raw', encoder.encode(secret), { name: 'HMAC', hash }, false, usages)
}

const decoders: Record<'hex' | 'base64', (text: string) => Uint8Array<ArrayBuffer> | null> = {
  hex: (text) => {
    if (!/^(?:[0-9a-f]{2})+$/i.test(text)) return null
    return Uint8Array.from(text.match(/../g) ?? [], (byte) => parseInt(byte, 16))
  },
  base64: (text) => {
    // Of the texts that `atob` decodes to the same bytes, only one is the signature.
    if (!/^[A-Za-z0-9+/]+={0,2}$/.test(text) || text.length % 4 !== 0 || btoa(atob(text)) !== text)
      return null
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  },
}

function lazy<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => (made ??= { value: make() }).value
}

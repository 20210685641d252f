import type { Operation } from '../../api/operation.ts'
import type { ClientTransport } from '../../extend.ts'
import { randomId } from '../../lib/hash.ts'

/** What a handle says, so that any instance with the same key can go on. */
export interface Sealed {
  /** Items of the page that earlier results have shown. */
  readonly offset: number
  /** The cursor or number of the page; null for the first page. */
  readonly position: string | number | null
  /** Whether the page has been bought. */
  readonly isBought: boolean
}

/** Characters of a signature: 96 bits. */
const signatureLength = 16

/** Makes handles of places. They are signed, so a model can neither change one nor use it with other arguments. */
export class Handles {
  readonly #transport: ClientTransport
  #key: Promise<CryptoKey> | undefined

  constructor(transport: ClientTransport) {
    this.#transport = transport
  }

  /** @param args The arguments of the call, as canonical JSON. */
  async seal({ id }: Operation, args: string, { offset, position, isBought }: Sealed): Promise<string> {
    // A page without https has no signatures: its handles work where they were made.
    if (!('subtle' in crypto)) return `next_${randomId(signatureLength)}`
    const kind = position === null ? '' : typeof position === 'number' ? 'p' : 'c'
    const payload = `${offset}${isBought ? 'b' : 'n'}${kind}${encodeURIComponent(position ?? '')}`
    const signature = new Uint8Array(await this.#sign(JSON.stringify([id, args, payload])))
    const text = btoa(String.fromCharCode(...signature))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
    return `next_${text.slice(0, signatureLength)}${payload}`
  }

  /** What the handle says; undefined if it is of another tool, of other arguments, or no handle at all. */
  async open(operation: Operation, args: string, handle: string): Promise<Sealed | undefined> {
    try {
      const payload = handle.slice('next_'.length + signatureLength)
      const [, offset, isBought, kind, text = ''] = /^(\d+)([bn])([pc]?)(.*)$/.exec(payload) ?? []
      const position = decodeURIComponent(text)
      const sealed = {
        offset: Number(offset),
        isBought: isBought === 'b',
        position: kind === 'p' ? Number(position) : kind === 'c' ? position : null,
      }
      return handle === (await this.seal(operation, args, sealed)) ? sealed : undefined
    } catch {
      // No text that `encodeURIComponent` makes.
      return undefined
    }
  }

  /** Every process with the same key recognizes the signature; if tokens change, only this client does. */
  async #sign(text: string): Promise<ArrayBuffer> {
    const encoder = new TextEncoder()
    const algorithm = { name: 'HMAC', hash: 'SHA-256' }
    this.#key ??= this.#transport.withSecret((secret) =>
      crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign']),
    )
    return crypto.subtle.sign('HMAC', await this.#key, encoder.encode(text))
  }
}

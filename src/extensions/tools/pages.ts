import type { Operation } from '../../api/operation.ts'
import { canonicalJson } from '../../lib/json.ts'
import { remember } from '../../lib/remember.ts'
import type { Compact } from './compact.ts'
import type { Item } from './list-result.ts'
import type { ClientTransport } from '../../extend.ts'
import { randomId } from '../../lib/hash.ts'

/** What was bought, as results show it. */
export interface Bought {
  /** Undefined for an answer without a list. */
  readonly items?: readonly Item[]
  readonly record?: Compact
  /** Null after the last page. */
  readonly next: Page | null
  /** What a result should say of it. */
  readonly remark?: string
  /** Set if the answer was paid for and is not as documented. */
  readonly failure?: PageFailure
}

/** Why a call ended early. The error may be any value, also undefined: your own code may have thrown it. */
export interface PageFailure {
  readonly error: unknown
}

/** A page of an operation, or its whole answer. */
export interface Page {
  /** Names its operation, id and params. */
  readonly key: string
  readonly operation: Operation
  /** Params as JSON text. */
  readonly params: string
  /** Stands for the id in the path. */
  readonly id: string | undefined
  /** Set while it is bought, and once it is. */
  outcome: Promise<Bought> | undefined
}

/** Where a result goes on. */
export interface Place {
  readonly page: Page
  /** Items of the page that earlier results have shown. */
  readonly offset: number
  /** The arguments of the call that led here, as canonical JSON. */
  readonly args: string
  /** Set if another instance has paid for the page, which this one has to buy again. */
  readonly isElsewhere?: boolean
}

/** Handles and undelivered pages that are kept. The oldest are dropped, so a session takes bounded memory. */
const kept = 200

/**
 * Remembers which pages may follow, which were bought without reaching their caller, and which an equal call gets again, for
 * `reuseMs` milliseconds.
 */
export class Pages {
  readonly #handles: Handles
  readonly #reuseMs: number
  readonly #places = new Map<string, Place>()
  readonly #undelivered = new Map<string, Page>()
  readonly #delivered = new Map<string, { readonly page: Page; readonly at: number }>()

  constructor(handles: Handles, reuseMs: number) {
    this.#handles = handles
    this.#reuseMs = reuseMs
  }

  /** The handle of a place, for a result. */
  async handleOf(place: Place): Promise<string> {
    const { page, offset, args } = place
    const param = page.operation.paging?.param
    const params = JSON.parse(page.params) as Record<string, string | number | undefined>
    const position = (param === undefined ? undefined : params[param]) ?? null
    const sealed = { offset, position, isBought: page.outcome !== undefined }
    const handle = await this.#handles.seal(page.operation, args, sealed)
    remember(this.#places, handle, place, kept)
    return handle
  }

  /** Where a call with these arguments begins. */
  startOf(
    operation: Operation,
    args: Record<string, unknown>,
    position: string | number | null = null,
  ): Place {
    const { pathId, paging } = operation
    const { id, ...others } = args
    const params = {
      ...(pathId === undefined ? args : others),
      ...(paging !== undefined && position !== null && { [paging.param]: position }),
    }
    const page = this.page(operation, canonicalJson(params) ?? '', pathId && String(id))
    return { page, offset: 0, args: canonicalJson(args) ?? '' }
  }

  /** Where a handle leads that a call with the same arguments got, also one of another instance; undefined if there is none. */
  async placeOf(
    operation: Operation,
    args: Record<string, unknown>,
    handle: string,
  ): Promise<Place | undefined> {
    const key = canonicalJson(args) ?? ''
    const known = this.#places.get(handle)
    if (known !== undefined)
      return known.page.operation.id === operation.id && known.args === key ? known : undefined
    const sealed = await this.#handles.open(operation, key, handle)
    if (sealed === undefined) return undefined
    const { position, offset, isBought } = sealed
    return { ...this.startOf(operation, args, position), offset, isElsewhere: isBought }
  }

  /** The page with these params: the same one as before, until a call has returned it, and for some time after. */
  page(operation: Operation, params: string, id?: string): Page {
    const key = JSON.stringify([operation.id, id, params])
    const delivered = this.ageOf({ key }) === undefined ? undefined : this.#delivered.get(key)?.page
    return this.#undelivered.get(key) ?? delivered ?? { key, operation, params, id, outcome: undefined }
  }

  /** Milliseconds since a call got the page that equal calls get again. */
  ageOf({ key }: Pick<Page, 'key'>): number | undefined {
    const { at = -Infinity } = this.#delivered.get(key) ?? {}
    const age = performance.now() - at
    return age < this.#reuseMs ? age : undefined
  }

  /** The outcome of an equal page that is being bought, or was not delivered. */
  outcomeOf({ key }: Page): Promise<Bought> | undefined {
    return this.#undelivered.get(key)?.outcome
  }

  /** Keeps a page that is being bought. */
  keep(page: Page): void {
    remember(this.#undelivered, page.key, page, kept)
  }

  /** A page has reached its caller. */
  deliver(page: Page, isUsable: boolean): void {
    this.release(page)
    const isNew = this.ageOf(page) === undefined
    if (isNew && isUsable && this.#reuseMs > 0 && page.operation.price.kind !== 'free')
      remember(this.#delivered, page.key, { page, at: performance.now() }, kept)
  }

  /** A page was not bought, or need not be kept for its caller. */
  release(page: Page): void {
    if (this.#undelivered.get(page.key) === page) this.#undelivered.delete(page.key)
  }
}

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

// A model reads on with a handle, a text that any instance with the same key understands: it says which page follows, and how much of it was
// shown. Each instance keeps its latest pages. A handle leads to the very page that was paid for as long as its instance keeps it. A call
// without a handle gets an equal page that has not reached its caller, or that another call got less than `reuseMs` ago.

import type { ClientTransport } from '../../extend.ts'
import type { Operation } from '../../api/operation.ts'
import { randomId } from '../../lib/hash.ts'
import { canonicalJson } from '../../lib/json.ts'
import { isTiedToRequests } from '../../lib/runtime.ts'
import type { Compact } from './compact.ts'
import type { Item } from './list-result.ts'

/** What a page holds, as results show it. */
export interface PageContent {
  /** Undefined for an answer without a list. */
  readonly items?: readonly Item[]
  /** How many others failed validation. */
  readonly invalid?: number | undefined
  readonly record?: Compact
  /** Null after the last page. */
  readonly next: KeptPage | null
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
export interface KeptPage {
  /** What handles call it. Each time that it is bought, it has another id. */
  readonly id: string
  /** Names its operation, path and params: pages with one key are equal. */
  readonly key: string
  readonly operation: Operation
  /** Params as JSON text. */
  readonly params: string
  /** Stands for the id in the path. */
  readonly pathId: string | undefined
  /** Set while it is bought, except in Cloudflare's workers, and once it is. */
  content: Promise<PageContent> | PageContent | undefined
  /** When it first reached its caller, in monotonic milliseconds; Infinity before. */
  deliveredAt: number
}

/** Where a result goes on. */
export interface PageOffset {
  readonly page: KeptPage
  /** Items of the page that earlier results have shown. */
  readonly offset: number
}

type Arguments = Readonly<Record<string, unknown>>

/** What a handle says. */
interface Sealed {
  /** The id of the page. */
  readonly id: string
  /** Items of the page that earlier results have shown. */
  readonly offset: number
  /** The cursor or number of the page; null for the first page. */
  readonly position: string | number | null
}

/** Pages that are kept, so that a session takes bounded memory. */
const kept = 200

/** Characters of a signature: 96 bits. */
const signatureLength = 16

/** The latest pages of an instance, and the handles that lead to them. */
export class KeptPages {
  readonly #transport: ClientTransport
  readonly #reuseMs: number
  /** By id, the latest last. */
  readonly #pages = new Map<string, KeptPage>()
  #key: CryptoKey | undefined

  constructor(transport: ClientTransport, reuseMs: number) {
    this.#transport = transport
    this.#reuseMs = reuseMs
  }

  /** The first page of a call with these arguments, or the one at a position. */
  pageAt(
    operation: Operation,
    args: Arguments,
    position: string | number | null = null,
    pageId?: string,
  ): KeptPage {
    const { pathId, paging } = operation
    const { id, ...others } = args
    const params = {
      ...(pathId === undefined ? args : others),
      ...(paging !== undefined && position !== null && { [paging.param]: position }),
    }
    return this.page(operation, canonicalJson(params) ?? '', pathId && String(id), pageId)
  }

  /** An equal page that may be shown again, or a new one. */
  page(operation: Operation, params: string, pathId: string | undefined, id = randomId()): KeptPage {
    const key = JSON.stringify([operation.id, pathId, params])
    const none = { content: undefined, deliveredAt: Infinity }
    return this.#equal(key) ?? { id, key, operation, params, pathId, ...none }
  }

  /** The latest page with this key that was paid for, and may be shown to a call that has no handle of it. */
  #equal(key: string): KeptPage | undefined {
    const mayBeShown = (page: KeptPage): boolean => isPaid(page) && this.ageOf(page) < this.#reuseMs
    return [...this.#pages.values()].findLast(
      (page) => page.key === key && page.content !== undefined && mayBeShown(page),
    )
  }

  /** Milliseconds since its caller got a page; -Infinity before. */
  ageOf({ deliveredAt }: KeptPage): number {
    return performance.now() - deliveredAt
  }

  /** What is known of a page: as it was bought or is being bought, or an equal one. */
  contentOf({ content, key }: KeptPage): KeptPage['content'] {
    return content ?? this.#equal(key)?.content
  }

  /** Keeps what a page holds. One that could not be bought can be bought again. */
  async keepContent(page: KeptPage, content: Promise<PageContent> | PageContent): Promise<PageContent> {
    // In Cloudflare's workers, no call may wait for the request of another.
    if (!isTiedToRequests()) page.content = content
    this.#keep(page)
    try {
      return (page.content = await content)
    } catch (error) {
      if (page.content === content) page.content = undefined
      throw error
    }
  }

  /** A page has reached its caller. */
  deliver(page: KeptPage): void {
    page.deliveredAt = Math.min(page.deliveredAt, performance.now())
  }

  /** Keeps a page as the latest. If there are too many, the oldest goes that is free, or else that has reached its caller. */
  #keep(page: KeptPage): void {
    this.#pages.delete(page.id)
    this.#pages.set(page.id, page)
    if (this.#pages.size <= kept) return
    const all = [...this.#pages.values()]
    const isDelivered = ({ deliveredAt }: KeptPage): boolean => deliveredAt < Infinity
    const dropped = all.find((each) => !isPaid(each)) ?? all.find(isDelivered) ?? all[0]
    if (dropped !== undefined) this.#pages.delete(dropped.id)
  }

  /** The handle of a place, for the result of a call with these arguments. */
  handleOf({ page, offset }: PageOffset, args: Arguments): Promise<string> {
    const { id, operation } = page
    const param = operation.paging?.param
    const params = JSON.parse(page.params) as Record<string, string | number | undefined>
    const position = (param === undefined ? undefined : params[param]) ?? null
    return this.#seal(operation, args, { id, offset, position })
  }

  /** Where a handle leads that a call with the same arguments got; undefined if it is of another tool, or no handle at all. */
  async placeOf(operation: Operation, args: Arguments, handle: string): Promise<PageOffset | undefined> {
    const payload = handle.slice('next_'.length + signatureLength)
    const [, id = '', offset, encoded = ''] = /^([a-z0-9]+)-(\d+)-(.*)$/.exec(payload) ?? []
    try {
      const position = JSON.parse(decodeURIComponent(encoded)) as Sealed['position']
      const sealed = { id, offset: Number(offset), position }
      if (handle !== (await this.#seal(operation, args, sealed))) return undefined
      const page = this.#pages.get(id) ?? this.pageAt(operation, args, position, id)
      return { page, offset: sealed.offset }
    } catch {
      // No text that `#seal` makes.
      return undefined
    }
  }

  /** Makes a handle. It is signed, so a model can neither change it nor use it with other arguments. */
  async #seal(operation: Operation, args: Arguments, { id, offset, position }: Sealed): Promise<string> {
    const payload = `${id}-${offset}-${encodeURIComponent(JSON.stringify(position))}`
    const signed = JSON.stringify([operation.id, canonicalJson(args), payload])
    const signature = new Uint8Array(await this.#sign(signed))
    const text = btoa(String.fromCharCode(...signature))
      .replaceAll('+', '-')
      .replaceAll('/', '_')
    return `next_${text.slice(0, signatureLength)}${payload}`
  }

  /** Every process with the same key recognizes the signature; if tokens change, only this client does. */
  async #sign(text: string): Promise<ArrayBuffer> {
    const encoder = new TextEncoder()
    const algorithm = { name: 'HMAC', hash: 'SHA-256' }
    const key = (this.#key ??= await this.#transport.withSecret((secret) =>
      crypto.subtle.importKey('raw', encoder.encode(secret), algorithm, false, ['sign']),
    ))
    return crypto.subtle.sign('HMAC', key, encoder.encode(text))
  }
}

function isPaid({ operation }: KeptPage): boolean {
  return operation.price.kind !== 'free'
}

import type { Operation } from '../../api/operation.ts'
import { randomId } from '../../lib/random-id.ts'
import { remember } from '../../lib/remember.ts'
import type { Compact } from './compact.ts'
import type { Item } from './list-result.ts'

/** What was bought, as results show it. */
export interface Bought {
  /** Undefined for an answer without a list. */
  readonly items?: readonly Item[]
  readonly record?: Compact
  /** Null after the last page. */
  readonly next: Page | null
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
}

/** Handles and undelivered pages that are kept. The oldest are dropped, so a session takes bounded memory. */
const kept = 200

/** Remembers which pages may follow, and which were bought without reaching their caller. */
export class Pages {
  readonly #places = new Map<string, Place>()
  readonly #undelivered = new Map<string, Page>()

  /** The handle of a place, for a result. */
  handleOf(place: Place): string {
    const handle = `next_${randomId(16)}`
    remember(this.#places, handle, place, kept)
    return handle
  }

  placeOf(handle: string): Place | undefined {
    return this.#places.get(handle)
  }

  /** The page with these params: the same one as before, until a call has returned it. */
  page(operation: Operation, params: string, id?: string): Page {
    const key = JSON.stringify([operation.id, id, params])
    return this.#undelivered.get(key) ?? { key, operation, params, id, outcome: undefined }
  }

  /** The outcome of an equal page that is being bought, or was not delivered. */
  outcomeOf({ key }: Page): Promise<Bought> | undefined {
    return this.#undelivered.get(key)?.outcome
  }

  /** Keeps a page that is being bought. */
  keep(page: Page): void {
    remember(this.#undelivered, page.key, page, kept)
  }

  /** A page has reached its caller, or was not bought. */
  release(page: Page): void {
    if (this.#undelivered.get(page.key) === page) this.#undelivered.delete(page.key)
  }
}

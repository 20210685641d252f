import type { Limits } from '../core/limiter.ts'
import type { Books } from './books.ts'
import { Leader } from './leader.ts'
import { holdLock } from './locks.ts'
import { type Message, isMessage } from './messages.ts'

/** Where tabs meet, and what they bring. */
export interface Club {
  readonly name: string
  readonly limits: Limits
  readonly books: Books
  /** Called with every message, of this tab or of another. */
  readonly receive: (message: Message) => void
}

/** A tab among the others, from when it comes until it leaves: its channel, its lock, and its candidacy for the lead. */
export class Presence {
  readonly tab = crypto.randomUUID()
  readonly #club: Club
  readonly #channel: BroadcastChannel
  readonly #end = new AbortController()
  readonly #tabPrefix: string
  #candidacy = new AbortController()
  #leading: Leader | undefined
  #releaseTab = (): void => {}
  #releaseLead = (): void => {}

  constructor(club: Club) {
    this.#club = club
    this.#tabPrefix = `${club.name}/tab/`
    this.#channel = new BroadcastChannel(club.name)
    this.#channel.onmessage = ({ data }: { data: unknown }) => {
      if (isMessage(data)) this.#deliver(data)
    }
  }

  /** Makes the tab known, once its lock tells whether it lives. */
  async enter(): Promise<void> {
    this.#releaseTab = await holdLock(`${this.#tabPrefix}${this.tab}`, this.#end.signal)
    this.send({ kind: 'hello', tab: this.tab })
  }

  /** Waits for the lead, and takes it. */
  async run(): Promise<void> {
    const { name, limits, books } = this.#club
    if (this.#end.signal.aborted) return
    const { signal } = (this.#candidacy = new AbortController())
    const release = await holdLock(`${name}/leader`, signal).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
    if (release === undefined || signal.aborted) {
      release?.()
      return
    }
    this.#releaseLead = release
    const tell = (message: Message): void => this.send(message)
    this.#leading = new Leader({ tabPrefix: this.#tabPrefix, limits, books, tell })
    await this.#leading.lead()
  }

  /** Tells all tabs, this one included. */
  send(message: Message): void {
    if (this.#end.signal.aborted) return
    this.#channel.postMessage(message)
    this.#deliver(message)
  }

  /** Leaves the lead to others. */
  stepDown(): void {
    this.#candidacy.abort()
    this.#leading?.close()
    this.#leading = undefined
    this.#releaseLead()
  }

  leave(): void {
    this.stepDown()
    this.#end.abort()
    this.#channel.close()
    this.#releaseTab()
  }

  #deliver(message: Message): void {
    this.#club.books.note(message)
    this.#leading?.receive(message)
    this.#club.receive(message)
  }
}

import type { Limits } from '../core/limits/limiter.ts'
import type { Books } from './shared-state.ts'
import { Leader } from './leader.ts'
import { haveOneHolder, holdLock } from './locks.ts'
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
  /** The tab's id, once the others can tell that it lives. */
  tab: string | undefined
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
    const tab = crypto.randomUUID()
    this.#releaseTab = await holdLock(this.#tabPrefix + tab, { signal: this.#end.signal })
    this.tab = tab
    this.greet()
  }

  /** Has the leader ask where this tab stands. */
  greet(): void {
    if (this.tab !== undefined) this.send({ kind: 'hello', tab: this.tab })
  }

  /** Waits for the lead, or takes it from a leader that is silent, and leads. */
  async run(steal = false): Promise<void> {
    if (this.#end.signal.aborted) return
    this.#candidacy.abort()
    const { signal } = (this.#candidacy = new AbortController())
    const { name, limits, books } = this.#club
    const onLost = (): void => {
      if (signal.aborted) return
      this.stepDown()
      void this.run()
    }
    const release = await holdLock(`${name}/leader`, { signal, steal, onLost }).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
    if (release === undefined || signal.aborted) {
      release?.()
      return
    }
    this.#releaseLead = release
    const tell = (message: Message): void => this.send(message)
    const isLead = (): Promise<boolean> =>
      haveOneHolder(`${name}/leader`, `${this.#tabPrefix}${this.tab ?? ''}`)
    this.#leading = new Leader({ tabPrefix: this.#tabPrefix, limits, books, tell, isLead })
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

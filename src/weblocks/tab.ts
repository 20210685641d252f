import type { Limits } from '../limits/interface.ts'
import type { SharedState } from './shared-state.ts'
import { Leader } from './leader.ts'
import { haveSameHolder, holdLock } from './locks.ts'
import { type Message, isMessage } from './messages.ts'

/** What a tab needs from its limiter. */
export interface TabContext {
  readonly name: string
  readonly limits: Limits
  readonly sharedState: SharedState
  /** Called with every message, of this tab or of another. */
  readonly receive: (message: Message) => void
}

/** One tab of an organization: its channel, the lock that shows it is open, and its candidacy for the lead. */
export class Tab {
  /** The tab's id; undefined until it holds the lock that shows it is open. */
  tabId: string | undefined
  readonly #context: TabContext
  readonly #channel: BroadcastChannel
  readonly #end = new AbortController()
  readonly #tabLockPrefix: string
  #candidacy = new AbortController()
  #leader: Leader | undefined
  #releaseTabLock = (): void => {}
  #releaseLeaderLock = (): void => {}

  constructor(context: TabContext) {
    this.#context = context
    this.#tabLockPrefix = `${context.name}/tab/`
    this.#channel = new BroadcastChannel(context.name)
    this.#channel.onmessage = ({ data }: { data: unknown }) => {
      if (isMessage(data)) this.#dispatch(data)
    }
  }

  /** Takes the tab's lock, then announces the tab. */
  async join(): Promise<void> {
    const tabId = crypto.randomUUID()
    this.#releaseTabLock = await holdLock(this.#tabLockPrefix + tabId, { signal: this.#end.signal })
    this.tabId = tabId
    this.announce()
  }

  /** Announces the tab; the leader answers and asks for the tab's state. */
  announce(): void {
    if (this.tabId !== undefined) this.broadcast({ kind: 'newTab', tabId: this.tabId })
  }

  /** Waits for the leader lock, or steals it from a leader that does not answer, then leads. */
  async becomeLeader(steal = false): Promise<void> {
    if (this.#end.signal.aborted) return
    this.#candidacy.abort()
    const { signal } = (this.#candidacy = new AbortController())
    const { name, limits, sharedState } = this.#context
    const tabLockPrefix = this.#tabLockPrefix
    const onLost = (): void => {
      if (signal.aborted) return
      this.stepDown()
      void this.becomeLeader()
    }
    const release = await holdLock(`${name}/leader`, { signal, steal, onLost }).catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
    if (release === undefined || signal.aborted) {
      release?.()
      return
    }
    this.#releaseLeaderLock = release
    const broadcast = (message: Message): void => this.broadcast(message)
    const isStillLeader = (): Promise<boolean> =>
      haveSameHolder(`${name}/leader`, `${tabLockPrefix}${this.tabId ?? ''}`)
    this.#leader = new Leader({ tabLockPrefix, limits, sharedState, broadcast, isStillLeader })
    await this.#leader.lead()
  }

  /** Sends a message to all tabs, this one included. */
  broadcast(message: Message): void {
    if (this.#end.signal.aborted) return
    this.#channel.postMessage(message)
    this.#dispatch(message)
  }

  /** Gives up the lead, or the wait for it. */
  stepDown(): void {
    this.#candidacy.abort()
    this.#leader?.close()
    this.#leader = undefined
    this.#releaseLeaderLock()
  }

  leave(): void {
    this.stepDown()
    this.#end.abort()
    this.#channel.close()
    this.#releaseTabLock()
  }

  #dispatch(message: Message): void {
    this.#context.sharedState.apply(message)
    this.#leader?.receive(message)
    this.#context.receive(message)
  }
}

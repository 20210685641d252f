import {
  type Lease,
  type Limiter,
  type Limits,
  type Share,
  type Ticket,
  SurfaceClosed,
} from '../limits/interface.ts'
import { ClosedError, ConfigurationError } from '../errors/index.ts'
import { followAbort } from '../lib/abort.ts'
import { deferred } from '../lib/deferred.ts'
import { SharedState } from './shared-state.ts'
import { watchPage } from './page-lifecycle.ts'
import type { LeaseRequest, ShareWithId, Message, MessageOf } from './messages.ts'
import { type WebLocksOptions, resolveOptions } from './options.ts'
import { Tab } from './tab.ts'

/** A call that is waiting for its lease. */
interface Waiter {
  readonly request: LeaseRequest
  grant(paced: number): void
  reject(reason: unknown): void
}

/** How often a waiting tab pings the leader, in milliseconds. */
const pingMs = 1000

/** How many pings a leader may leave unanswered before this tab takes its lock. */
const maxUnanswered = 5

/** A grant is too old to use if this tab has slept longer than this, in milliseconds. */
const sleptMs = 10_000

/**
 * Keeps an organization's limits across all tabs and workers of one origin in one browser. One tab is the leader and
 * grants the leases. When it closes, another tab takes over from the state that every tab keeps.
 *
 * @example
 * const limiter = WebLocksLimiter.isSupported() ? new WebLocksLimiter({ organization: 'acme' }) : undefined
 * const client = new SocialSearch({ baseUrl: '/api/social', limiter })
 */
export class WebLocksLimiter implements Limiter {
  readonly #id: string
  readonly #name: string
  /** The organization's limits, for all its tabs together. */
  readonly limits: Limits
  readonly #sharedState: SharedState
  readonly #waiting = new Map<string, Waiter>()
  readonly #leases = new Set<string>()
  readonly #shares = new WeakMap<Share, ShareWithId>()
  readonly #left = deferred()
  readonly #stopWatching: () => void
  #callCount = 0
  #state: 'active' | 'frozen' | 'closed' = 'active'
  #tab: Tab | undefined
  /** The id of the leader that this tab follows. */
  #leader: string | null = null
  #failure: ConfigurationError | undefined
  #pingTimer: ReturnType<typeof setInterval> | undefined
  #pingedAt = 0
  #unanswered = 0

  /**
   * Creates a limiter that shares the limits of `organization` with all tabs of this origin.
   *
   * @throws {ConfigurationError} for invalid options, and if {@link WebLocksLimiter.isSupported} returns false.
   */
  constructor(options: WebLocksOptions) {
    const { name, limits } = resolveOptions(options)
    if (!new.target.isSupported()) {
      throw new ConfigurationError(
        'WebLocksLimiter needs navigator.locks and BroadcastChannel: a browser of 2022 or later, https or a loopback address, and a page with its own origin',
      )
    }
    this.#id = crypto.randomUUID()
    this.#name = name
    this.limits = limits
    this.#sharedState = new SharedState(limits.windowMs)
    this.#join()
    this.#stopWatching = watchPage(
      () => this.#freeze(),
      () => this.#resume(),
    )
  }

  /** Whether this browser supports shared limits. If not, leave `limiter` out: each tab then keeps the limits alone. */
  static isSupported(): boolean {
    const { navigator, BroadcastChannel, origin } = globalThis as {
      navigator?: { locks?: LockManager }
      BroadcastChannel?: unknown
      origin?: string
    }
    // A sandboxed frame has an opaque origin and no locks.
    const hasOrigin = origin !== 'null'
    return hasOrigin && navigator?.locks !== undefined && typeof BroadcastChannel === 'function'
  }

  acquire(ticket: Ticket): Promise<Lease> {
    const { signal, share, surface, priority, resumed, patience, maxQueueWait = Infinity } = ticket
    if (signal.aborted) return Promise.reject(signal.reason)
    if (this.#state === 'closed') return Promise.reject(new ClosedError())
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    const call = `${this.#id}/${++this.#callCount}`
    const since = performance.now()
    return new Promise<Lease>((resolve, reject) => {
      const stopWaiting = (): void => {
        unfollow()
        this.#waiting.delete(call)
        if (this.#waiting.size === 0) clearInterval(this.#pingTimer)
      }
      const waiter: Waiter = {
        request: { call, surface, share: this.#withId(share), priority, resumed, patience, maxQueueWait },
        grant: (paced) => {
          stopWaiting()
          resolve(this.#lease(call, paced, performance.now() - since))
        },
        reject: (reason) => {
          stopWaiting()
          reject(reason)
        },
      }
      const abort = (reason: unknown): void => {
        waiter.reject(reason)
        this.#send({ kind: 'cancel', call })
      }
      const unfollow = followAbort(signal, { abort })
      if (this.#waiting.size === 0) {
        this.#pingTimer = setInterval(() => this.#pingLeader(), pingMs)
        this.#pingedAt = performance.now()
        this.#unanswered = 0
      }
      this.#waiting.set(call, waiter)
      // Without a leader, the next one asks for the waiting calls.
      const tabId = this.#tab?.tabId
      if (tabId !== undefined && this.#leader !== null)
        this.#send({ kind: 'acquire', tabId, to: this.#leader, request: waiter.request })
    })
  }

  hold(surface: string | null, milliseconds: number): void {
    this.#send({ kind: 'hold', surface, ms: milliseconds })
  }

  /**
   * Rejects waiting and later calls with a `ClosedError`. Resolves when the last request has ended and the tab has left
   * the channel.
   */
  close(): Promise<void> {
    if (this.#state !== 'closed') {
      this.#state = 'closed'
      this.#stopWatching()
      this.#withdraw()
      for (const waiter of [...this.#waiting.values()]) waiter.reject(new ClosedError())
    }
    return this.#left.promise
  }

  #join(): void {
    const tab = new Tab({
      name: this.#name,
      limits: this.limits,
      sharedState: this.#sharedState,
      receive: (message) => this.#receive(message),
    })
    this.#tab = tab
    tab
      .join()
      .then(() => tab.becomeLeader())
      .catch((error: unknown) => this.#fail(tab, error))
  }

  /** Called if the browser refuses a lock, for example in a page without access to storage. */
  #fail(tab: Tab, error: unknown): void {
    // A tab that has left aborts its own lock requests.
    if (tab !== this.#tab || this.#state !== 'active') return
    this.#failure = new ConfigurationError(`the browser refused a lock (${String(error)})`)
    for (const waiter of [...this.#waiting.values()]) waiter.reject(this.#failure)
  }

  /** A frozen page would keep its leases and the lead from other tabs. */
  #freeze(): void {
    if (this.#state !== 'active') return
    this.#state = 'frozen'
    this.#withdraw()
  }

  #resume(): void {
    if (this.#state !== 'frozen') return
    this.#state = 'active'
    this.#leader = null
    const tab = this.#tab
    if (tab === undefined) {
      this.#join()
      return
    }
    tab.announce()
    tab.becomeLeader().catch((error: unknown) => this.#fail(tab, error))
  }

  /** Cancels waiting calls and gives up the lead. The tab leaves the channel once its requests in flight have ended. */
  #withdraw(): void {
    for (const call of this.#waiting.keys()) this.#send({ kind: 'cancel', call })
    this.#tab?.stepDown()
    this.#leader = null
    this.#leaveWhenDone()
  }

  #leaveWhenDone(): void {
    if (this.#state === 'active' || this.#leases.size > 0) return
    this.#tab?.leave()
    this.#tab = undefined
    if (this.#state === 'closed') this.#left.resolve()
  }

  #send(message: Message): void {
    this.#tab?.broadcast(message)
  }

  /** Pings the leader, or takes over from one that does not answer: a sleeping page keeps its locks. */
  #pingLeader(): void {
    this.#pingedAt = performance.now()
    const tab = this.#tab
    if (this.#state !== 'active' || tab?.tabId === undefined) return
    if (this.#unanswered++ < maxUnanswered) {
      tab.broadcast({ kind: 'ping', tabId: tab.tabId, to: this.#leader })
      return
    }
    this.#unanswered = 0
    tab.becomeLeader(true).catch((error: unknown) => this.#fail(tab, error))
  }

  #receive(message: Message): void {
    const tabId = this.#tab?.tabId
    if ('leader' in message) this.#unanswered = 0
    switch (message.kind) {
      case 'leader':
        if (tabId !== undefined && (message.to === null || message.to === tabId)) this.#follow(message, tabId)
        break
      case 'grant':
        if (message.tabId === tabId) this.#accept(message)
        break
      case 'reject':
        if (message.leader === this.#leader)
          this.#waiting.get(message.call)?.reject(new SurfaceClosed(message.remaining, message.reason))
    }
  }

  #follow({ leader, snapshot }: MessageOf<'leader'>, tabId: string): void {
    this.#sharedState.merge(snapshot)
    this.#leader = leader
    const queue = this.#state === 'active' ? Array.from(this.#waiting.values(), ({ request }) => request) : []
    const leases = [...this.#leases]
    this.#send({ kind: 'tabState', tabId, to: leader, leases, queue, snapshot: this.#sharedState.snapshot() })
  }

  #accept({ leader, call, paced }: MessageOf<'grant'>): void {
    const waiter = this.#waiting.get(call)
    // The call was cancelled, or the leader was replaced and the new one has the call in its queue.
    const isUnwanted = waiter === undefined || leader !== this.#leader
    if (!isUnwanted && performance.now() - this.#pingedAt < sleptMs) {
      waiter.grant(paced)
      return
    }
    this.#send({ kind: 'release', call })
    if (isUnwanted) return
    // While this tab slept, the leader may have given the slot to another tab.
    this.#pingedAt = performance.now()
    this.#tab?.announce()
  }

  #lease(call: string, paced: number, waited: number): Lease {
    this.#leases.add(call)
    const tell = (message: Message): void => {
      if (this.#leases.has(call)) this.#send(message)
    }
    return {
      paced: Math.min(paced, waited),
      queued: Math.max(0, waited - paced),
      sent: () => tell({ kind: 'sent', call }),
      // The time of an invalid date is NaN.
      answered: (date) => tell({ kind: 'answered', call, date: date?.getTime() || null }),
      release: () => {
        tell({ kind: 'release', call })
        this.#leases.delete(call)
        this.#leaveWhenDone()
      },
    }
  }

  #withId(share: Share): ShareWithId {
    const { inFlight, perMinute } = share
    const shareWithId = this.#shares.get(share) ?? { id: crypto.randomUUID(), inFlight, perMinute }
    this.#shares.set(share, shareWithId)
    return shareWithId
  }
}

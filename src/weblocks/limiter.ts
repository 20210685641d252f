import type { Lease, Limiter, Limits, Share, Ticket } from '../core/limits/limiter.ts'
import { SurfaceClosed } from '../core/limits/surface-closed.ts'
import { now } from '../core/lib/time.ts'
import { ClosedError, ConfigurationError } from '../errors.ts'
import { Books } from './shared-state.ts'
import { watchPage } from './lifecycle.ts'
import type { Ask, KnownShare, Message, MessageOf } from './messages.ts'
import { type WebLocksOptions, resolveOptions } from './options.ts'
import { Presence } from './tab.ts'

/** A call that waits for its lease. */
interface Waiter {
  readonly ask: Ask
  grant(paced: number): void
  refuse(reason: unknown): void
}

/** How often a tab that waits reminds the leader, in milliseconds. */
const nudgeMs = 1000

/** How many reminders a leader may leave unanswered. */
const maxUnanswered = 5

/** How long this tab may have slept before a grant is too old, in milliseconds. */
const sleptMs = 10_000

/**
 * Keeps the limits of an organization for all tabs and workers of one origin in one browser. One of them leads, and
 * decides for all; when it ends, another one goes on from what all have heard.
 */
export class WebLocksLimiter implements Limiter {
  readonly #id: string
  readonly #name: string
  /** What the organization has, for all its tabs together. */
  readonly limits: Limits
  readonly #books: Books
  readonly #waiting = new Map<string, Waiter>()
  readonly #leases = new Set<string>()
  readonly #shares = new WeakMap<Share, KnownShare>()
  readonly #gone = Promise.withResolvers<void>()
  readonly #unwatch: () => void
  #count = 0
  #state: 'on' | 'on ice' | 'closed' = 'on'
  #presence: Presence | undefined
  /** Whom this tab follows. */
  #leader: string | null = null
  #failure: ConfigurationError | undefined
  #nudging: ReturnType<typeof setInterval> | undefined
  #nudged = 0
  #unanswered = 0

  /**
   * A limiter that keeps the limits of `organization` with all tabs of this origin.
   *
   * @throws {ConfigurationError} for options that cannot work, and where {@link WebLocksLimiter.isSupported} says no.
   */
  constructor(options: WebLocksOptions) {
    const { name, limits } = resolveOptions(options)
    if (!WebLocksLimiter.isSupported()) {
      throw new ConfigurationError(
        'WebLocksLimiter needs navigator.locks and BroadcastChannel: a browser of 2022 or later, https or a loopback address, and a page with an origin of its own',
      )
    }
    this.#id = crypto.randomUUID()
    this.#name = name
    this.limits = limits
    this.#books = new Books(limits.windowMs)
    this.#join()
    this.#unwatch = watchPage(
      () => this.#freeze(),
      () => this.#resume(),
    )
  }

  /** Whether tabs can agree here; where not, leave `limiter` out, and each tab keeps the limits for itself. */
  static isSupported(): boolean {
    const { navigator, BroadcastChannel, origin } = globalThis as {
      navigator?: { locks?: LockManager }
      BroadcastChannel?: unknown
      origin?: string
    }
    // A sandboxed frame has an origin that is nobody else's, and no locks.
    const hasOrigin = origin !== 'null'
    return hasOrigin && navigator?.locks !== undefined && typeof BroadcastChannel === 'function'
  }

  acquire(ticket: Ticket): Promise<Lease> {
    const { signal, share, surface, priority, resumed, patience } = ticket
    if (signal.aborted) return Promise.reject(signal.reason)
    if (this.#state === 'closed') return Promise.reject(new ClosedError())
    if (this.#failure !== undefined) return Promise.reject(this.#failure)
    const call = `${this.#id}/${++this.#count}`
    const since = now()
    return new Promise<Lease>((resolve, reject) => {
      const leave = (): void => {
        signal.removeEventListener('abort', onAbort)
        this.#waiting.delete(call)
        if (this.#waiting.size === 0) clearInterval(this.#nudging)
      }
      const waiter: Waiter = {
        ask: { call, surface, share: this.#known(share), priority, resumed, patience },
        grant: (paced) => {
          leave()
          resolve(this.#lease(call, paced, now() - since))
        },
        refuse: (reason) => {
          leave()
          reject(reason)
        },
      }
      const onAbort = (): void => {
        waiter.refuse(signal.reason)
        this.#send({ kind: 'cancel', call })
      }
      signal.addEventListener('abort', onAbort)
      if (this.#waiting.size === 0) {
        this.#nudging = setInterval(() => this.#nudge(), nudgeMs)
        this.#nudged = now()
        this.#unanswered = 0
      }
      this.#waiting.set(call, waiter)
      // Without a leader, the next one will ask what waits.
      const tab = this.#presence?.tab
      if (tab !== undefined && this.#leader !== null)
        this.#send({ kind: 'acquire', tab, to: this.#leader, ask: waiter.ask })
    })
  }

  hold(surface: string | null, milliseconds: number): void {
    this.#send({ kind: 'hold', surface, ms: milliseconds })
  }

  /**
   * Refuses what waits with a `ClosedError`, and everything further. Resolves when the last request has ended and the
   * tab has left the others.
   */
  close(): Promise<void> {
    if (this.#state !== 'closed') {
      this.#state = 'closed'
      this.#unwatch()
      this.#withdraw()
      for (const waiter of [...this.#waiting.values()]) waiter.refuse(new ClosedError())
    }
    return this.#gone.promise
  }

  #join(): void {
    const { name, limits, books } = { name: this.#name, limits: this.limits, books: this.#books }
    const presence = new Presence({ name, limits, books, receive: (message) => this.#receive(message) })
    this.#presence = presence
    presence
      .enter()
      .then(() => presence.run())
      .catch((error: unknown) => this.#fail(presence, error))
  }

  /** The browser refused a lock, in a page that may not store anything for example. */
  #fail(presence: Presence, error: unknown): void {
    // A tab that leaves gives up what it has asked for.
    if (presence !== this.#presence || this.#state !== 'on') return
    this.#failure = new ConfigurationError(`the browser refused a lock (${String(error)})`)
    for (const waiter of [...this.#waiting.values()]) waiter.refuse(this.#failure)
  }

  /** What a page on ice held, nobody could get. */
  #freeze(): void {
    if (this.#state !== 'on') return
    this.#state = 'on ice'
    this.#withdraw()
  }

  #resume(): void {
    if (this.#state !== 'on ice') return
    this.#state = 'on'
    this.#leader = null
    const presence = this.#presence
    if (presence === undefined) {
      this.#join()
      return
    }
    presence.greet()
    presence.run().catch((error: unknown) => this.#fail(presence, error))
  }

  /** Takes back what waits, and leaves the lead to others; with requests under way, the tab stays until they have ended. */
  #withdraw(): void {
    for (const call of this.#waiting.keys()) this.#send({ kind: 'cancel', call })
    this.#presence?.stepDown()
    this.#leader = null
    this.#leaveWhenDone()
  }

  #leaveWhenDone(): void {
    if (this.#state === 'on' || this.#leases.size > 0) return
    this.#presence?.leave()
    this.#presence = undefined
    if (this.#state === 'closed') this.#gone.resolve()
  }

  #send(message: Message): void {
    this.#presence?.send(message)
  }

  /** Reminds the leader, or takes the lead: browsers put pages to sleep without a word, and their locks with them. */
  #nudge(): void {
    this.#nudged = now()
    const presence = this.#presence
    if (this.#state !== 'on' || presence?.tab === undefined) return
    if (this.#unanswered++ < maxUnanswered) {
      presence.send({ kind: 'nudge', tab: presence.tab, to: this.#leader })
      return
    }
    this.#unanswered = 0
    presence.run(true).catch((error: unknown) => this.#fail(presence, error))
  }

  #receive(message: Message): void {
    const tab = this.#presence?.tab
    if ('leader' in message) this.#unanswered = 0
    switch (message.kind) {
      case 'lead':
        if (tab !== undefined && (message.to === null || message.to === tab)) this.#follow(message, tab)
        break
      case 'grant':
        if (message.tab === tab) this.#accept(message)
        break
      case 'refuse':
        if (message.leader === this.#leader)
          this.#waiting.get(message.call)?.refuse(new SurfaceClosed(message.remaining))
    }
  }

  #follow({ leader, known }: MessageOf<'lead'>, tab: string): void {
    this.#books.merge(known)
    this.#leader = leader
    const queue = this.#state === 'on' ? Array.from(this.#waiting.values(), ({ ask }) => ask) : []
    const leases = [...this.#leases]
    this.#send({ kind: 'census', tab, to: leader, leases, queue, known: this.#books.tell() })
  }

  #accept({ leader, call, paced }: MessageOf<'grant'>): void {
    const waiter = this.#waiting.get(call)
    // Nobody wants it any more, or the leader is gone, and the next one has been told that the call waits.
    const isVain = waiter === undefined || leader !== this.#leader
    if (!isVain && now() - this.#nudged < sleptMs) {
      waiter.grant(paced)
      return
    }
    this.#send({ kind: 'release', call })
    if (isVain) return
    // The leader may have given the slot to others while this tab slept.
    this.#nudged = now()
    this.#presence?.greet()
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
      answered: (date) =>
        tell({
          kind: 'answered',
          call,
          date: Number.isNaN(date?.getTime()) ? null : (date?.getTime() ?? null),
        }),
      release: () => {
        tell({ kind: 'release', call })
        this.#leases.delete(call)
        this.#leaveWhenDone()
      },
    }
  }

  #known(share: Share): KnownShare {
    const { inFlight, perMinute } = share
    const known = this.#shares.get(share) ?? { id: crypto.randomUUID(), inFlight, perMinute }
    this.#shares.set(share, known)
    return known
  }
}

import { SurfaceClosed, type Pass } from '../core/lane.ts'
import { type Limits, LocalLimiter, type Share, abandonedMs } from '../core/limiter.ts'
import type { Books, Grant } from './books.ts'
import { heldLocks, lockFree } from './locks.ts'
import type { Ask, KnownShare, Message, MessageOf } from './messages.ts'

/** How long a new leader waits for the tabs to say where they stand, in milliseconds. */
const handOverMs = 3000

/** What a leader needs of the tab it lives in. */
export interface Seat {
  /** What locks of tabs are called, but for the tab's id. */
  readonly tabPrefix: string
  readonly limits: Limits
  readonly books: Books
  /** Tells all tabs, this one included. */
  readonly tell: (message: Message) => void
}

/** Keeps the limits for all tabs, with a limiter of one process. */
export class Leader {
  readonly id = crypto.randomUUID()
  readonly #seat: Seat
  readonly #end = new AbortController()
  readonly #limiter: LocalLimiter
  readonly #queued = new Map<string, { readonly tab: string; readonly abort: AbortController }>()
  readonly #passes = new Map<string, Pass>()
  readonly #shares = new Map<string, Share>()
  readonly #watched = new Set<string>()
  /** Tabs that have said where they stand. */
  readonly #counted = new Set<string>()
  /** Settles when everything is known that has to be, so that somebody may go. */
  readonly #ready = Promise.withResolvers<void>()
  #isReady = false
  /** Whether all tabs that live are among the watched. */
  #isListed = false
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(seat: Seat) {
    this.#seat = seat
    this.#limiter = new LocalLimiter(seat.limits)
  }

  /** Takes over from a leader that is gone, or begins. */
  async lead(): Promise<void> {
    this.#timer = setTimeout(() => this.#begin(), handOverMs)
    this.#greet(null)
    for (const tab of await heldLocks(this.#seat.tabPrefix)) this.#watch(tab)
    this.#isListed = true
    this.#check()
  }

  receive(message: Message): void {
    switch (message.kind) {
      case 'hello':
        this.#greet(message.tab)
        break
      case 'census':
        if (message.to === this.id) this.#count(message)
        break
      case 'acquire':
        if (message.to === this.id) void this.#serve(message.tab, message.ask)
        break
      case 'cancel':
        this.#queued.get(message.call)?.abort.abort()
        break
      case 'grant':
        // A leader before this one has let it through, and the news came late.
        if (message.leader !== this.id)
          this.#inherit(this.#seat.books.grants.filter(({ call }) => call === message.call))
        break
      case 'sent':
        this.#passes.get(message.call)?.sent()
        break
      case 'answered':
        this.#passes.get(message.call)?.answered(message.date === null ? null : new Date(message.date))
        break
      case 'release':
        this.#release(message.call)
        break
      case 'hold':
        if (this.#isReady) this.#limiter.hold(message.surface, message.ms)
        break
      case 'nudge':
        // Whoever asks another leader has missed the change.
        if (message.to !== this.id) this.#greet(message.tab)
        this.#limiter.wake()
    }
  }

  /** Lets nobody go any more. */
  close(): void {
    this.#end.abort()
    clearTimeout(this.#timer)
    for (const { abort } of this.#queued.values()) abort.abort()
    this.#ready.resolve()
  }

  #greet(to: string | null): void {
    this.#seat.tell({ kind: 'lead', leader: this.id, to, known: this.#seat.books.tell() })
  }

  #count({ tab, leases, queue, known }: MessageOf<'census'>): void {
    const { books, tell } = this.#seat
    const news = books.merge(known)
    // What others have let through and the tab has not got, nobody will give back.
    for (const grant of books.grants) {
      const { call, open, leader } = grant
      const isLost = open && grant.tab === tab && leader !== this.id && !leases.includes(call)
      if (isLost) tell({ kind: 'release', call })
    }
    this.#inherit(news)
    for (const ask of queue) void this.#serve(tab, ask)
    this.#watch(tab)
    this.#counted.add(tab)
    this.#check()
  }

  #check(): void {
    if (this.#isListed && [...this.#watched].every((tab) => this.#counted.has(tab))) this.#begin()
  }

  #begin(): void {
    if (this.#isReady || this.#end.signal.aborted) return
    this.#isReady = true
    clearTimeout(this.#timer)
    const { books } = this.#seat
    const { holds } = books
    const probes = new Set(holds.map(({ probe }) => probe))
    const isProbe = ({ call }: Grant): boolean => probes.has(call)
    this.#inherit(books.grants.filter((grant) => !isProbe(grant)))
    for (const { surface, left } of holds) this.#limiter.hold(surface, left)
    // After a hold, the first request that is counted is the probe.
    this.#inherit(books.grants.filter(isProbe))
    this.#ready.resolve()
  }

  #inherit(grants: readonly Grant[]): void {
    if (!this.#isReady) return
    for (const { call, tab, surface, share, at, answered, open } of grants) {
      if (this.#passes.has(call)) continue
      const pass = this.#limiter.adopt(surface, this.#shareOf(share), { at, answered })
      if (!open) {
        pass.release()
        continue
      }
      this.#passes.set(call, pass)
      this.#watch(tab)
    }
  }

  async #serve(tab: string, ask: Ask): Promise<void> {
    const { call, surface, share, priority, resumed, patience } = ask
    if (this.#queued.has(call) || this.#passes.has(call) || this.#end.signal.aborted) return
    this.#watch(tab)
    const abort = new AbortController()
    this.#queued.set(call, { tab, abort })
    const { tell } = this.#seat
    const { id: leader } = this
    const ticket = { surface, share: this.#shareOf(share), priority, resumed, patience }
    try {
      await this.#ready.promise
      const lease = await this.#limiter.acquire({ ...ticket, signal: abort.signal })
      this.#queued.delete(call)
      if (abort.signal.aborted) {
        lease.release()
        return
      }
      this.#passes.set(call, lease)
      tell({ kind: 'grant', leader, tab, call, surface, share, paced: lease.paced })
    } catch (error) {
      this.#queued.delete(call)
      // Otherwise the call was taken back, and nobody waits for an answer.
      if (error instanceof SurfaceClosed) tell({ kind: 'refuse', leader, call, remaining: error.remaining })
    }
  }

  #release(call: string): void {
    this.#passes.get(call)?.release()
    this.#passes.delete(call)
  }

  #shareOf({ id, inFlight, perMinute }: KnownShare): Share {
    const share = this.#shares.get(id) ?? { inFlight, perMinute }
    this.#shares.set(id, share)
    return share
  }

  /** Waits for the lock that a tab holds for as long as it lives. */
  #watch(tab: string): void {
    if (this.#watched.has(tab)) return
    this.#watched.add(tab)
    const { tabPrefix, tell, books } = this.#seat
    const { signal } = this.#end
    const bury = (): void => {
      this.#watched.delete(tab)
      for (const { tab: owner, abort } of this.#queued.values()) if (owner === tab) abort.abort()
      this.#check()
      setTimeout(() => {
        if (signal.aborted) return
        for (const grant of books.grants) if (grant.tab === tab) this.#release(grant.call)
        tell({ kind: 'gone', tab })
      }, abandonedMs)
    }
    lockFree(`${tabPrefix}${tab}`, signal).then(bury, () => {})
  }
}

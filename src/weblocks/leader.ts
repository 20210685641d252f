import { type Lease, type Limits, type Share, abandonedMs } from '../core/limits/limiter.ts'
import { recommendedTimeoutMs } from '../contract/limits.ts'
import { SurfaceClosed } from '../core/limits/surface-closed.ts'
import { LocalLimiter } from '../core/limits/local-limiter.ts'
import { now } from '../core/lib/time.ts'
import type { Books, Grant } from './shared-state.ts'
import { heldLocks, lockFree } from './locks.ts'
import type { Ask, KnownShare, Message, MessageOf } from './messages.ts'

/** How long a new leader waits for the tabs to say where they stand, in milliseconds. */
const handOverMs = 3000

/** How often a leader notes that it is awake, and how long it may sleep and still be sure that it leads, in milliseconds. */
const beatMs = 1000
const sleptMs = 2500

/** How long a tab whose lease is older than any request has to say that it holds it, in milliseconds. */
const answerMs = 10_000

/** What a leader needs of the tab it lives in. */
export interface Seat {
  /** What locks of tabs are called, but for the tab's id. */
  readonly tabPrefix: string
  readonly limits: Limits
  readonly books: Books
  /** Tells all tabs, this one included. */
  readonly tell: (message: Message) => void
  /** Whether the lead has not been taken away. */
  readonly isLead: () => Promise<boolean>
}

/** Keeps the limits for all tabs, with a limiter of one process. */
export class Leader {
  readonly id = crypto.randomUUID()
  readonly #seat: Seat
  readonly #end = new AbortController()
  readonly #limiter: LocalLimiter
  readonly #queued = new Map<string, { readonly tab: string; readonly abort: AbortController }>()
  readonly #passes = new Map<string, { readonly tab: string; readonly pass: Lease }>()
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
  #beating: ReturnType<typeof setInterval> | undefined
  /** When it was sure to lead. */
  #sure = now()
  /** When tabs were asked for their leases. */
  readonly #asked = new Map<string, number>()

  constructor(seat: Seat) {
    this.#seat = seat
    this.#limiter = new LocalLimiter(seat.limits)
  }

  /** Takes over from a leader that is gone, or begins. */
  async lead(): Promise<void> {
    this.#timer = setTimeout(() => this.#begin(), handOverMs)
    this.#beating = setInterval(() => this.#audit(), beatMs)
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
        this.#passes.get(message.call)?.pass.sent()
        break
      case 'answered':
        this.#passes.get(message.call)?.pass.answered(message.date === null ? null : new Date(message.date))
        break
      case 'release':
        this.#release(message.call)
        break
      case 'gone':
        for (const [call, { tab }] of this.#passes) if (tab === message.tab) this.#release(call)
        break
      case 'hold':
        if (this.#isReady) this.#limiter.hold(message.surface, message.ms)
        break
      case 'nudge':
        // Whoever asks another leader has missed the change.
        if (message.to === this.id) this.#seat.tell({ kind: 'here', leader: this.id })
        else this.#greet(message.tab)
        this.#limiter.wake()
    }
  }

  /** Lets nobody go any more. */
  close(): void {
    this.#end.abort()
    clearTimeout(this.#timer)
    clearInterval(this.#beating)
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
    this.#asked.delete(tab)
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
      this.#passes.set(call, { tab, pass })
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
      const isLead = await this.#isLead()
      this.#queued.delete(call)
      if (abort.signal.aborted || !isLead) {
        lease.release()
        return
      }
      this.#passes.set(call, { tab, pass: lease })
      tell({ kind: 'grant', leader, tab, call, surface, share, paced: lease.paced })
    } catch (error) {
      this.#queued.delete(call)
      // Otherwise the call was taken back, and nobody waits for an answer.
      if (error instanceof SurfaceClosed) tell({ kind: 'refuse', leader, call, remaining: error.remaining })
    }
  }

  /** Frees the leases of tabs that live but do not run, so that nobody else can be told of it. */
  #audit(): void {
    if (now() - this.#sure < sleptMs) this.#sure = now()
    for (const { tab, at, open } of this.#seat.books.grants) {
      if (!open || now() - at < recommendedTimeoutMs) continue
      const asked = this.#asked.get(tab)
      if (asked === undefined) {
        this.#asked.set(tab, now())
        this.#greet(tab)
      } else if (now() - asked > answerMs) {
        this.#asked.delete(tab)
        this.#seat.tell({ kind: 'gone', tab })
      }
    }
  }

  /** If this tab was put to sleep, another one may have taken the lead. */
  async #isLead(): Promise<boolean> {
    if (now() - this.#sure < sleptMs) return true
    const isLead = await this.#seat.isLead()
    if (isLead) this.#sure = now()
    return isLead
  }

  #release(call: string): void {
    this.#passes.get(call)?.pass.release()
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
    const { tabPrefix, tell } = this.#seat
    const { signal } = this.#end
    const bury = (): void => {
      this.#watched.delete(tab)
      for (const { tab: owner, abort } of this.#queued.values()) if (owner === tab) abort.abort()
      this.#check()
      setTimeout(() => {
        if (signal.aborted) return
        tell({ kind: 'gone', tab })
      }, abandonedMs)
    }
    lockFree(`${tabPrefix}${tab}`, signal).then(bury, () => {})
  }
}

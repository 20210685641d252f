import {
  type CallTicket,
  type Lease,
  type Limits,
  type Share,
  SurfaceClosed,
  abandonedMs,
} from '../limits/interface.ts'
import { recommendedTimeoutMs } from '../api/limits.ts'
import { deferred } from '../lib/deferred.ts'
import { LocalLimiter } from '../limits/local-limiter.ts'
import type { Send } from '../limits/pace.ts'
import type { SharedState, Grant } from './shared-state.ts'
import { heldLocks } from './locks.ts'
import type { LeaseRequest, ShareWithId, Message, MessageOf } from './messages.ts'

/** How long a new leader waits for the tabs to send their state, in milliseconds. */
const handOverMs = 3000

/** How often a leader checks that it is awake, and how long it may sleep before it must check its lock, in milliseconds. */
const beatMs = 1000
const sleptMs = 2500

/** How long a tab has to confirm a lease that is older than any request, in milliseconds. */
const answerMs = 10_000

/** What a leader needs from its tab. */
export interface LeaderContext {
  /** The name of a tab's lock, without the tab's id. */
  readonly tabLockPrefix: string
  readonly limits: Limits
  readonly sharedState: SharedState
  /** Sends a message to all tabs, this one included. */
  readonly broadcast: (message: Message) => void
  /** Whether this tab still holds the leader lock. */
  readonly isStillLeader: () => Promise<boolean>
}

/** The limiter of a leader, which also counts requests that an earlier leader has granted. */
class AdoptingLimiter extends LocalLimiter {
  /** Counts a request as if acquired here. */
  adopt(surface: string | null, share: Share, send: Send): Lease {
    // It takes the next free slot, or frees it at once if it has ended before.
    const taking = this.take()
    const release = (): void => void taking.then((slot) => slot?.release(null))
    return this.queue(surface).lease(send, share, { release })
  }
}

/** Keeps the limits for all tabs with a single-process limiter. */
export class Leader {
  readonly id = crypto.randomUUID()
  readonly #context: LeaderContext
  readonly #end = new AbortController()
  readonly #limiter: AdoptingLimiter
  readonly #queued = new Map<string, { readonly tabId: string; readonly ticket: CallTicket }>()
  /** The leases of all tabs, by call. */
  readonly #leases = new Map<string, Lease>()
  readonly #shares = new Map<string, Share>()
  readonly #watched = new Set<string>()
  /** Tabs that have sent their state. */
  readonly #reported = new Set<string>()
  /** Resolves once the state is complete and leases can be granted. */
  readonly #ready = deferred()
  #isReady = false
  /** Whether all open tabs are in `#watched`. */
  #areTabsListed = false
  #timer: ReturnType<typeof setTimeout> | undefined
  #beatTimer: ReturnType<typeof setInterval> | undefined
  /** When this tab last surely held the leader lock. */
  #surelyLeaderAt = performance.now()
  /** When each tab was asked to confirm its leases. */
  readonly #askedAt = new Map<string, number>()

  constructor(context: LeaderContext) {
    this.#context = context
    this.#limiter = new AdoptingLimiter(context.limits)
  }

  /** Takes over from a previous leader, or starts as the first. */
  async lead(): Promise<void> {
    this.#timer = setTimeout(() => this.#begin(), handOverMs)
    this.#beatTimer = setInterval(() => this.#checkOldLeases(), beatMs)
    this.#announce(null)
    for (const tabId of await heldLocks(this.#context.tabLockPrefix)) this.#watch(tabId)
    this.#areTabsListed = true
    this.#check()
  }

  receive(message: Message): void {
    switch (message.kind) {
      case 'newTab':
        this.#announce(message.tabId)
        break
      case 'tabState':
        if (message.to === this.id) this.#onTabState(message)
        break
      case 'acquire':
        if (message.to === this.id) void this.#grant(message.tabId, message.request)
        break
      case 'cancel':
        this.#cancel(message.call)
        break
      case 'grant':
        // A previous leader granted it, and the message came late.
        if (message.leader !== this.id)
          this.#inherit(this.#context.sharedState.grants.filter(({ call }) => call === message.call))
        break
      case 'sent':
        this.#leases.get(message.call)?.sent()
        break
      case 'answered':
        this.#leases.get(message.call)?.answered(message.date === null ? null : new Date(message.date))
        break
      case 'release':
      case 'tabClosed':
        this.#releaseEnded()
        break
      case 'hold':
        if (this.#isReady) this.#limiter.hold(message.surface, message.ms)
        break
      case 'ping':
        // A tab that pings another leader has missed the change.
        if (message.to === this.id) this.#context.broadcast({ kind: 'pong', leader: this.id })
        else this.#announce(message.tabId)
        this.#limiter.wake()
    }
  }

  /** Stops granting leases. */
  close(): void {
    this.#end.abort()
    clearTimeout(this.#timer)
    clearInterval(this.#beatTimer)
    for (const call of this.#queued.keys()) this.#cancel(call)
    this.#ready.resolve()
  }

  #announce(to: string | null): void {
    const snapshot = this.#context.sharedState.snapshot()
    this.#context.broadcast({ kind: 'leader', leader: this.id, to, snapshot })
  }

  #onTabState({ tabId, leases, queue, snapshot }: MessageOf<'tabState'>): void {
    const { sharedState, broadcast } = this.#context
    const added = sharedState.merge(snapshot)
    // Release what a previous leader granted and the tab never received.
    for (const grant of sharedState.grants) {
      const { call, open, leader } = grant
      const isLost = open && grant.tabId === tabId && leader !== this.id && !leases.includes(call)
      if (isLost) broadcast({ kind: 'release', call })
    }
    this.#inherit(added)
    for (const request of queue) void this.#grant(tabId, request)
    this.#watch(tabId)
    this.#reported.add(tabId)
    this.#askedAt.delete(tabId)
    this.#check()
  }

  #check(): void {
    if (this.#areTabsListed && [...this.#watched].every((tabId) => this.#reported.has(tabId))) this.#begin()
  }

  #begin(): void {
    if (this.#isReady || this.#end.signal.aborted) return
    this.#isReady = true
    clearTimeout(this.#timer)
    const { sharedState } = this.#context
    const { holds } = sharedState
    const probes = new Set(holds.map(({ probe }) => probe))
    const isProbe = ({ call }: Grant): boolean => probes.has(call)
    this.#inherit(sharedState.grants.filter((grant) => !isProbe(grant)))
    for (const { surface, remaining } of holds) this.#limiter.hold(surface, remaining)
    // After a hold, the first request that is counted is the probe.
    this.#inherit(sharedState.grants.filter(isProbe))
    this.#ready.resolve()
  }

  #inherit(grants: readonly Grant[]): void {
    if (!this.#isReady) return
    for (const { call, tabId, surface, share, at, answered, open } of grants) {
      if (this.#leases.has(call)) continue
      this.#leases.set(call, this.#limiter.adopt(surface, this.#shareOf(share), { at, answered }))
      if (open) this.#watch(tabId)
    }
    this.#releaseEnded()
  }

  async #grant(tabId: string, request: LeaseRequest): Promise<void> {
    const { call, surface, share, ...terms } = request
    if (this.#queued.has(call) || this.#leases.has(call) || this.#end.signal.aborted) return
    this.#watch(tabId)
    const ticket = { surface, share: this.#shareOf(share), ...terms }
    this.#queued.set(call, { tabId, ticket })
    const isQueued = (): boolean => this.#queued.get(call)?.ticket === ticket
    const { broadcast } = this.#context
    const { id: leader } = this
    try {
      await this.#ready.promise
      if (!isQueued()) return
      const lease = await this.#limiter.acquire(ticket)
      const isLeader = await this.#isStillLeader()
      if (!isQueued() || !isLeader) lease.release()
      else {
        this.#leases.set(call, lease)
        broadcast({ kind: 'grant', leader, tabId, call, surface, share, paced: lease.paced })
      }
    } catch (error) {
      // A cancelled call needs no response.
      if (error instanceof SurfaceClosed)
        broadcast({ kind: 'reject', leader, call, remaining: error.remaining, reason: error.reason })
    } finally {
      if (isQueued()) this.#queued.delete(call)
    }
  }

  #cancel(call: string): void {
    const queued = this.#queued.get(call)
    this.#queued.delete(call)
    if (queued !== undefined) this.#limiter.cancel(queued.ticket, undefined)
  }

  /** Releases the leases of tabs that are open but do not respond. */
  #checkOldLeases(): void {
    if (performance.now() - this.#surelyLeaderAt < sleptMs) this.#surelyLeaderAt = performance.now()
    for (const { tabId, at, open } of this.#context.sharedState.grants) {
      if (!open || performance.now() - at < recommendedTimeoutMs) continue
      const askedAt = this.#askedAt.get(tabId)
      if (askedAt === undefined) {
        this.#askedAt.set(tabId, performance.now())
        this.#announce(tabId)
      } else if (performance.now() - askedAt > answerMs) {
        this.#askedAt.delete(tabId)
        this.#context.broadcast({ kind: 'tabClosed', tabId })
      }
    }
  }

  /** While this tab slept, another one may have taken the lead. */
  async #isStillLeader(): Promise<boolean> {
    if (performance.now() - this.#surelyLeaderAt < sleptMs) return true
    const isLeader = await this.#context.isStillLeader()
    if (isLeader) this.#surelyLeaderAt = performance.now()
    return isLeader
  }

  /** Releases the leases of requests that have ended, or whose tab has closed. */
  #releaseEnded(): void {
    for (const [call, lease] of this.#leases) {
      if (this.#context.sharedState.isOpen(call)) continue
      lease.release()
      this.#leases.delete(call)
    }
  }

  #shareOf({ id, inFlight, perMinute }: ShareWithId): Share {
    const share = this.#shares.get(id) ?? { inFlight, perMinute }
    this.#shares.set(id, share)
    return share
  }

  /** Waits for the lock that a tab holds while it is open. */
  #watch(tabId: string): void {
    if (this.#watched.has(tabId)) return
    this.#watched.add(tabId)
    const { tabLockPrefix, broadcast } = this.#context
    const { signal } = this.#end
    const onTabEnd = (): void => {
      this.#watched.delete(tabId)
      for (const [call, { tabId: owner }] of this.#queued) if (owner === tabId) this.#cancel(call)
      this.#check()
      setTimeout(() => {
        if (signal.aborted) return
        broadcast({ kind: 'tabClosed', tabId })
      }, abandonedMs)
    }
    const lock = `${tabLockPrefix}${tabId}`
    navigator.locks.request(lock, { mode: 'shared', signal }, onTabEnd).catch(() => {})
  }
}

import { longestHoldMs } from '../limits/interface.ts'
import type { StateSnapshot, ShareWithId, Message } from './messages.ts'

/** A granted request, in times of this tab's clock. */
export interface Grant {
  readonly call: string
  readonly tabId: string
  readonly leader: string
  readonly surface: string | null
  readonly share: ShareWithId
  at: number
  answered: number
  /** False once its slot was released. */
  open: boolean
}

/** A surface that a 429 has closed. */
interface Hold {
  openAt: number
  probe: string | null
}

/** How much longer than the window a request is kept, in milliseconds: more than a limiter adds to the window. */
const extraMs = 2000

/**
 * The state that a leader needs. Every tab keeps a copy, so any tab can become the leader. A tab hears of an event after
 * it happened, so a request never looks older than it is.
 */
export class SharedState {
  readonly #retentionMs: number
  readonly #grants = new Map<string, Grant>()
  readonly #holds = new Map<string | null, Hold>()

  constructor(windowMs: number) {
    this.#retentionMs = windowMs + extraMs
  }

  /** The requests that may still count towards a limit, in the order they were sent. */
  get grants(): Grant[] {
    this.#forgetOld()
    return [...this.#grants.values()].sort((a, b) => a.at - b.at)
  }

  /** Whether a call has a lease. */
  isOpen(call: string): boolean {
    return this.#grants.get(call)?.open === true
  }

  /** The surfaces that a 429 has closed, each with the call that probes it. */
  get holds(): { surface: string | null; remaining: number; probe: string | null }[] {
    return Array.from(this.#holds, ([surface, { openAt, probe }]) => ({
      surface,
      remaining: Math.max(0, openAt - performance.now()),
      probe,
    }))
  }

  /** Updates the state from a message. */
  apply(message: Message): void {
    switch (message.kind) {
      case 'grant': {
        const { call, tabId, leader, surface, share } = message
        const hold = this.#holds.get(surface)
        if (hold !== undefined) hold.probe ??= call
        this.#forgetOld()
        // Deleting it first moves it to the end.
        this.#grants.delete(call)
        const state = { at: performance.now(), answered: Infinity, open: true }
        this.#grants.set(call, { call, tabId, leader, surface, share, ...state })
        break
      }
      case 'sent':
      case 'answered': {
        const grant = this.#grants.get(message.call)
        if (grant?.open) grant[message.kind === 'sent' ? 'at' : 'answered'] = performance.now()
        break
      }
      case 'release':
        this.#close(message.call)
        break
      case 'tabClosed':
        for (const { call, tabId } of this.#grants.values()) if (tabId === message.tabId) this.#close(call)
        break
      case 'hold':
        this.#hold(message.surface, message.ms)
    }
  }

  /** The state with ages in place of times, since tabs do not share a clock. */
  snapshot(): StateSnapshot {
    const grants = this.grants.map(({ at, answered, ...grant }) => ({
      ...grant,
      age: performance.now() - at,
      answered: answered === Infinity ? null : performance.now() - answered,
    }))
    return { grants, holds: this.holds }
  }

  /** Merges the state of another tab, and returns the requests that were missing here. */
  merge({ grants, holds }: StateSnapshot): Grant[] {
    const added: Grant[] = []
    for (const { age, answered, ...request } of grants) {
      const received: Grant = {
        ...request,
        at: performance.now() - age,
        answered: answered === null ? Infinity : performance.now() - answered,
      }
      const grant = this.#grants.get(request.call)
      if (grant === undefined) {
        this.#grants.set(request.call, received)
        added.push(received)
      } else {
        // Either tab may have missed a message. Tabs never hear of an event early, and a closed request stays closed.
        grant.at = Math.max(grant.at, received.at)
        grant.answered = Math.min(grant.answered, received.answered)
        grant.open &&= received.open
      }
    }
    for (const { surface, remaining, probe } of holds) {
      if (probe !== null && !this.isOpen(probe)) continue
      const { openAt = 0, probe: own = probe } = this.#holds.get(surface) ?? {}
      const opensAt = Math.max(openAt, performance.now() + remaining)
      this.#holds.set(surface, { openAt: opensAt, probe: own ?? probe })
    }
    return added
  }

  #hold(surface: string | null, ms: number): void {
    const { openAt = 0 } = this.#holds.get(surface) ?? {}
    this.#holds.set(surface, {
      openAt: Math.max(openAt, performance.now() + Math.min(ms, longestHoldMs)),
      probe: null,
    })
  }

  #close(call: string): void {
    const grant = this.#grants.get(call)
    if (grant === undefined) return
    grant.open = false
    if (this.#holds.get(grant.surface)?.probe === call) this.#holds.delete(grant.surface)
  }

  #forgetOld(): void {
    const outdated = performance.now() - this.#retentionMs
    for (const { call, at, open } of this.#grants.values()) {
      if (at > outdated) break
      if (!open) this.#grants.delete(call)
    }
  }
}

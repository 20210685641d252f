import { now } from '../core/lib/time.ts'
import type { Known, KnownShare, Message } from './messages.ts'

/** A request that was let through, by the clock of this tab. */
export interface Grant {
  readonly call: string
  readonly tab: string
  readonly leader: string
  readonly surface: string | null
  readonly share: KnownShare
  at: number
  answered: number
  /** False once its slot was given back. */
  open: boolean
}

/** A closed surface. */
interface Hold {
  openAt: number
  probe: string | null
}

/** How much longer than the window a request is remembered, in milliseconds: more than a limiter adds to the window. */
const slackMs = 2000

/**
 * What a leader has to know, kept by every tab, so that any of them can go on from it. Whatever a tab learns, it learns
 * after the fact, so that a request never seems older to it than it is.
 */
export class Books {
  readonly #spanMs: number
  readonly #grants = new Map<string, Grant>()
  readonly #holds = new Map<string | null, Hold>()

  constructor(windowMs: number) {
    this.#spanMs = windowMs + slackMs
  }

  /** The requests that may still count, in the order in which they were sent. */
  get grants(): Grant[] {
    this.#forget()
    return [...this.#grants.values()].sort((a, b) => a.at - b.at)
  }

  /** The surfaces that a 429 has closed, and the calls that try them. */
  get holds(): { surface: string | null; left: number; probe: string | null }[] {
    return Array.from(this.#holds, ([surface, { openAt, probe }]) => ({
      surface,
      left: Math.max(0, openAt - now()),
      probe,
    }))
  }

  note(message: Message): void {
    switch (message.kind) {
      case 'grant': {
        const { call, tab, leader, surface, share } = message
        const hold = this.#holds.get(surface)
        if (hold !== undefined) hold.probe ??= call
        this.#forget()
        // Set anew, it also moves to the end.
        this.#grants.delete(call)
        this.#grants.set(call, {
          call,
          tab,
          leader,
          surface,
          share,
          at: now(),
          answered: Infinity,
          open: true,
        })
        break
      }
      case 'sent': {
        const grant = this.#grants.get(message.call)
        if (grant?.open) grant.at = now()
        break
      }
      case 'answered': {
        const grant = this.#grants.get(message.call)
        if (grant?.open) grant.answered = now()
        break
      }
      case 'release':
        this.#close(message.call)
        break
      case 'gone':
        for (const { call, tab } of this.#grants.values()) if (tab === message.tab) this.#close(call)
        break
      case 'hold':
        this.#hold(message.surface, message.ms)
    }
  }

  /** What is known, in ages. */
  tell(): Known {
    const grants = this.grants.map(({ at, answered, ...grant }) => ({
      ...grant,
      age: now() - at,
      answered: answered === Infinity ? null : now() - answered,
    }))
    return { grants, holds: this.holds }
  }

  /** Takes over what another tab knows, and returns the requests that are news. */
  merge({ grants, holds }: Known): Grant[] {
    const news: Grant[] = []
    for (const { age, answered, ...told } of grants) {
      const heard: Grant = {
        ...told,
        at: now() - age,
        answered: answered === null ? Infinity : now() - answered,
      }
      const grant = this.#grants.get(told.call)
      if (grant === undefined) {
        this.#grants.set(told.call, heard)
        news.push(heard)
      } else {
        // Either may have missed something. Nobody hears of it before it happens, and what is over stays over.
        grant.at = Math.max(grant.at, heard.at)
        grant.answered = Math.min(grant.answered, heard.answered)
        grant.open &&= heard.open
      }
    }
    for (const { surface, left, probe } of holds) {
      if (probe !== null && this.#grants.get(probe)?.open !== true) continue
      const { openAt = 0, probe: own = probe } = this.#holds.get(surface) ?? {}
      this.#holds.set(surface, { openAt: Math.max(openAt, now() + left), probe: own ?? probe })
    }
    return news
  }

  #hold(surface: string | null, ms: number): void {
    const { openAt = 0 } = this.#holds.get(surface) ?? {}
    this.#holds.set(surface, { openAt: Math.max(openAt, now() + ms), probe: null })
  }

  #close(call: string): void {
    const grant = this.#grants.get(call)
    if (grant === undefined) return
    grant.open = false
    if (this.#holds.get(grant.surface)?.probe === call) this.#holds.delete(grant.surface)
  }

  #forget(): void {
    const outdated = now() - this.#spanMs
    for (const { call, at, open } of this.#grants.values()) {
      if (at > outdated) break
      if (!open) this.#grants.delete(call)
    }
  }
}

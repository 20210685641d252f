import { lateError, timeoutOf } from '../core/call/attempt.ts'
import type { Answer, Call } from '../core/call/call.ts'
import { run } from '../core/call/run.ts'
import type { CallSettings } from '../core/options/settings.ts'
import { SocialSearchError } from '../errors/index.ts'
import type { Entry } from './entry.ts'
import type { StoredRequest } from './stored-request.ts'

/** An answer for one member of a flight. */
export interface Landed {
  readonly entry: Entry
  /** The answer that was fetched; undefined if the store or another process had it. */
  readonly fetched?: Answer
  /** Whether the answer was fetched for this member, which then has its attempts and credits. */
  readonly isPayer: boolean
}

interface Member {
  readonly call: Call
  readonly resolve: (landed: Landed) => void
  readonly reject: (reason: unknown) => void
  timer: ReturnType<typeof setTimeout> | undefined
}

/**
 * Equal calls that share one request. Each has its own signal, deadline and timeout. The request goes on as long as a
 * call waits for it; the first of these pays.
 */
export class Flight {
  readonly #request: StoredRequest
  readonly #open: (settings: CallSettings) => Call
  readonly #close: () => void
  readonly #members = new Set<Member>()
  #call: Call | undefined
  #landed: Omit<Landed, 'isPayer'> | undefined

  /**
   * @param open Opens a call for the request.
   * @param close Called when no further call may join.
   */
  constructor(request: StoredRequest, open: (settings: CallSettings) => Call, close: () => void) {
    this.#request = request
    this.#open = open
    this.#close = close
  }

  /** Waits for the answer. The first call that joins begins the flight. */
  async join(call: Call): Promise<Landed> {
    if (this.#landed !== undefined) return { ...this.#landed, isPayer: false }
    let member: Member | undefined
    try {
      return await call.race(
        () =>
          new Promise((resolve, reject) => {
            member = { call, resolve, reject, timer: undefined }
            this.#members.add(member)
            if (this.#members.size === 1) void this.#fly()
            else this.#share()
          }),
      )
    } catch (error) {
      if (member !== undefined) this.#leave(member, error)
      throw error
    }
  }

  async #fly(): Promise<void> {
    let fetched: Landed['fetched']
    try {
      const entry = await this.#request.find(() => this.#members.size > 0)
      if (entry !== null) {
        this.#land({ entry })
        return
      }
      for (let [leader] = this.#members; leader !== undefined; [leader] = this.#members) {
        try {
          const call = this.#open(this.#settings(leader.call.settings))
          this.#call = call
          if (call.observer && leader.call.observer) call.observer.call.id = leader.call.observer.call.id
          this.#share()
          fetched = await run(call)
          this.#land({ entry: this.#request.toEntry(fetched), fetched })
          break
        } catch (error) {
          const { spent = 0, uncertain = 0 } = this.#call?.purchase ?? {}
          Object.assign(leader.call.purchase, { spent, uncertain })
          this.#refuse(leader, error)
        }
      }
    } catch (error) {
      for (const { reject } of this.#members) reject(error)
    } finally {
      // Calls may join an answer until the store has it.
      if (fetched === undefined) this.#close()
      await this.#request.end(this.#landed?.entry, fetched?.parsed, this.#call?.attempts ?? [])
      this.#close()
    }
  }

  /** The request follows the options of its leader. Each member validates the answer by its own. */
  #settings(settings: CallSettings): CallSettings {
    const timeoutMs = () => Math.max(...[...this.#members].map(({ call }) => timeoutOf(call)))
    return {
      ...settings,
      validation: 'off',
      schema: undefined,
      onPhase: () => this.#share(),
      get timeoutMs() {
        return timeoutMs()
      },
    }
  }

  #land(landed: Omit<Landed, 'isPayer'>): void {
    this.#landed = landed
    const [payer] = this.#members
    for (const member of this.#members) {
      clearTimeout(member.timer)
      member.resolve({ ...landed, isPayer: member === payer && landed.fetched !== undefined })
    }
    this.#members.clear()
  }

  /**
   * Ends members with an error. If it was certainly not charged, others go on: those with another retry policy, and all
   * others if nothing was sent, for example since the leader's budget refused.
   */
  #refuse(leader: Member, error: unknown): void {
    const { charged = 'no', attempts = [] } = error instanceof SocialSearchError ? error : {}
    const isUnsent = charged === 'no' && attempts.every(({ sent }) => sent === null)
    for (const member of this.#members) {
      const isOther = isUnsent
        ? member !== leader
        : charged === 'no' && member.call.settings.retry !== leader.call.settings.retry
      if (isOther) continue
      member.reject(error)
      this.#members.delete(member)
    }
  }

  #leave(member: Member, reason: unknown): void {
    clearTimeout(member.timer)
    if (!this.#members.delete(member) || this.#members.size > 0) {
      this.#share()
      return
    }
    this.#close()
    this.#call?.abort(reason)
  }

  /** Shows each member how far the request is. */
  #share(): void {
    const flight = this.#call
    if (flight === undefined) return
    flight.sendBy = Math.max(...[...this.#members].map(({ call }) => call.sendBy))
    for (const member of this.#members) {
      const { call } = member
      call.attempts = flight.attempts
      call.phase = flight.phase
      if (flight.isIdle) {
        clearTimeout(member.timer)
        member.timer = undefined
      } else member.timer ??= setTimeout(() => this.#expire(call), timeoutOf(call))
    }
  }

  /** If no other member allows more time, the attempt itself is about to end. */
  #expire(call: Call): void {
    const others = [...this.#members].filter((member) => timeoutOf(member.call) > timeoutOf(call))
    if (others.length > 0) call.abort(lateError(call))
  }
}

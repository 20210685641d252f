import { lateError, timeoutOf } from '../core/call/attempt.ts'
import type { Answer, Call } from '../core/call/call.ts'
import { run } from '../core/call/run.ts'
import type { CallSettings } from '../core/options/settings.ts'
import type { RetryPolicy } from '../core/retry/policy.ts'
import { SocialSearchError } from '../errors/index.ts'
import { isInstance } from '../lib/thrown.ts'
import type { Entry } from './entry.ts'
import { reportingHooks } from './hooks.ts'
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
 * call waits for it; the first of these pays. A member that joins or leaves does not touch the others: there may be
 * many thousands.
 */
export class Flight {
  readonly #request: StoredRequest
  readonly #open: (settings: CallSettings) => Call
  readonly #close: () => void
  readonly #members = new Set<Member>()
  #call: Call | undefined
  #landed: Omit<Landed, 'isPayer'> | undefined
  /** The longest timeout of the members; undefined if it must be found. */
  #timeoutMs: number | undefined
  /** Whether a hook has replaced what was asked or answered. */
  #isReplaced = false

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
            this.#add(member)
          }),
      )
    } catch (error) {
      if (member !== undefined) this.#leave(member, error)
      throw error
    }
  }

  #add(member: Member): void {
    const { call } = member
    this.#members.add(member)
    if (this.#members.size === 1) {
      void this.#fly()
      return
    }
    if (this.#timeoutMs !== undefined) this.#timeoutMs = Math.max(this.#timeoutMs, timeoutOf(call))
    if (this.#call === undefined) return
    this.#call.sendBy = Math.max(this.#call.sendBy, call.sendBy)
    this.#update(member, this.#call)
  }

  async #fly(): Promise<void> {
    try {
      const entry = await this.#request.find(() => this.#members.size > 0)
      if (entry !== null) {
        this.#land({ entry })
        return
      }
      // The set also yields members that join meanwhile, and no member that has left.
      for (const leader of this.#members) {
        try {
          const fetched = await this.#runFor(leader.call)
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
      // Calls may join an answer until the store has it. Nothing else can be joined.
      const { entry, fetched } = this.#landed ?? {}
      if (fetched === undefined) this.#close()
      if (entry === undefined || fetched === undefined)
        await this.#request.release(this.#call?.attempts ?? [])
      else await this.#request.store(entry, fetched, this.#isReplaced)
      this.#close()
    }
  }

  #runFor(leader: Call): Promise<Answer> {
    const call = this.#open(this.#settings(leader))
    this.#call = call
    call.expire = () => leader.throwIfAborted()
    if (call.observer && leader.observer) call.observer.call.id = leader.observer.call.id
    this.#updateAll()
    return run(call)
  }

  /** The request follows the options of its leader. Each member validates the answer by its own. */
  #settings({ settings, request }: Call): CallSettings {
    const longest = () => this.#longestTimeout()
    const { hooks } = settings
    const report = () => void (this.#isReplaced = true)
    return {
      ...settings,
      ...(hooks && { hooks: reportingHooks(hooks, request.params ?? '', report) }),
      validation: 'off',
      schema: undefined,
      onPhase: () => this.#updateAll(),
      get timeoutMs() {
        return longest()
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
    const { charged = 'no', attempts = [] } = isInstance(error, SocialSearchError) ? error : {}
    const isUnsent = charged === 'no' && attempts.every(({ sent }) => sent === null)
    const policy = leader.call.settings.retry
    for (const member of isUnsent ? [leader] : this.#members) {
      if (charged === 'no' && !isSame(member.call.settings.retry, policy)) continue
      clearTimeout(member.timer)
      member.reject(error)
      this.#members.delete(member)
    }
    this.#timeoutMs = undefined
  }

  #leave(member: Member, reason: unknown): void {
    clearTimeout(member.timer)
    if (!this.#members.delete(member)) return
    if (timeoutOf(member.call) === this.#timeoutMs) this.#timeoutMs = undefined
    if (this.#members.size > 0) return
    this.#close()
    this.#call?.abort(reason)
  }

  /** Shows all members how far the request is. */
  #updateAll(): void {
    const flight = this.#call
    if (flight === undefined) return
    flight.sendBy = -Infinity
    for (const member of this.#members) {
      flight.sendBy = Math.max(flight.sendBy, member.call.sendBy)
      this.#update(member, flight)
    }
  }

  #update(member: Member, { attempts, settled, phase, isIdle }: Call): void {
    const { call } = member
    call.attempts = attempts
    call.settled = settled
    call.phase = phase
    if (isIdle) {
      clearTimeout(member.timer)
      member.timer = undefined
    } else member.timer ??= setTimeout(() => this.#expire(call), timeoutOf(call))
  }

  /** If no other member allows more time, the attempt itself is about to end. */
  #expire(call: Call): void {
    if (timeoutOf(call) < this.#longestTimeout()) call.abort(lateError(call))
  }

  #longestTimeout(): number {
    if (this.#timeoutMs === undefined) {
      this.#timeoutMs = 0
      for (const { call } of this.#members) this.#timeoutMs = Math.max(this.#timeoutMs, timeoutOf(call))
    }
    return this.#timeoutMs
  }
}

function isSame(a: RetryPolicy, b: RetryPolicy): boolean {
  return a.ambiguous === b.ambiguous && a.maxAttempts === b.maxAttempts && a.maxWaitMs === b.maxWaitMs
}

import { type Answer, type Call, type Progress, noProgress } from '../core/call/call.ts'
import type { Sharers } from '../core/call/cancellation.ts'
import type { Run } from '../core/call/run.ts'
import type { RetryPolicy } from '../core/retry/policy.ts'
import { SocialSearchError } from '../errors/index.ts'
import { isInstance } from '../lib/thrown.ts'
import type { Entry } from './entry.ts'
import { reportingHooks } from './hooks.ts'
import type { StoredRequest } from './stored-request.ts'

/** The answer for one member. */
export interface SharedAnswer {
  readonly entry: Entry
  /** The answer that was fetched; undefined if the store or another process had it. */
  readonly fetched?: Answer
  /** Whether the answer was fetched for this member, which then has its attempts and credits. */
  readonly isPayer: boolean
}

interface Member {
  readonly run: Run
  readonly resolve: (answer: SharedAnswer) => void
  readonly reject: (reason: unknown) => void
  timer: ReturnType<typeof setTimeout> | undefined
}

/**
 * Equal calls that share one request. Each has its own signal, deadline and timeout. The request goes on as long as a
 * call waits for it; the first of these pays. A member that joins or leaves does not touch the others: there may be
 * many thousands.
 */
export class SharedRequest {
  readonly #stored: StoredRequest
  readonly #open: (call: Call, sharers: Sharers) => Run
  readonly #close: () => void
  readonly #members = new Set<Member>()
  /** Sends the request, for the first member. */
  #run: Run | undefined
  #answer: Omit<SharedAnswer, 'isPayer'> | undefined
  /** The longest timeout of the members; undefined if it must be found. */
  #timeoutMs: number | undefined
  /** Whether a hook has replaced what was asked or answered. */
  #isReplaced = false

  /**
   * @param open Opens the run of the request.
   * @param close Called when no further call may join.
   */
  constructor(stored: StoredRequest, open: (call: Call, sharers: Sharers) => Run, close: () => void) {
    this.#stored = stored
    this.#open = open
    this.#close = close
  }

  /** How far the request is, for its members. */
  get progress(): Progress {
    return this.#run?.progress ?? noProgress
  }

  /** Waits for the answer. The first call that joins begins the request. */
  async join(run: Run): Promise<SharedAnswer> {
    if (this.#answer !== undefined) return { ...this.#answer, isPayer: false }
    let member: Member | undefined
    try {
      return await run.race(
        () =>
          new Promise((resolve, reject) => {
            member = { run, resolve, reject, timer: undefined }
            this.#add(member)
          }),
      )
    } catch (error) {
      if (member !== undefined) this.#leave(member, error)
      throw error
    }
  }

  #add(member: Member): void {
    const { run } = member
    this.#members.add(member)
    run.showProgressOf(this)
    if (this.#members.size === 1) {
      void this.#start()
      return
    }
    if (this.#timeoutMs !== undefined) this.#timeoutMs = Math.max(this.#timeoutMs, run.timeoutMs)
    this.#setTimer(member)
  }

  async #start(): Promise<void> {
    try {
      const entry = await this.#stored.find(() => this.#members.size > 0)
      if (entry !== null) {
        this.#deliver({ entry })
        return
      }
      // The set also yields members that join meanwhile, and no member that has left.
      for (const leader of this.#members) {
        try {
          const fetched = await this.#runFor(leader.run)
          this.#deliver({ entry: this.#stored.toEntry(fetched), fetched })
          break
        } catch (error) {
          const { progress } = this
          leader.run.showProgressOf({ progress, credits: this.#run?.credits })
          this.#refuse(leader, error)
        }
      }
    } catch (error) {
      for (const { reject } of this.#members) reject(error)
    } finally {
      // Calls may join an answer until the store has it. Nothing else can be joined.
      const { entry, fetched } = this.#answer ?? {}
      if (fetched === undefined) this.#close()
      if (entry === undefined || fetched === undefined) await this.#stored.release(this.progress.attempts)
      else await this.#stored.store(entry, fetched, this.#isReplaced)
      this.#close()
    }
  }

  #runFor(leader: Run): Promise<Answer> {
    const { settings, request } = leader.call
    const { hooks } = settings
    const report = () => void (this.#isReplaced = true)
    // The request follows the options of its leader. Each member validates the answer by its own.
    const shared = {
      ...settings,
      ...(hooks && { hooks: reportingHooks(hooks, request.params ?? '', report) }),
      validation: 'off' as const,
      schema: undefined,
    }
    this.#run = this.#open({ ...leader.call, settings: shared }, this.#sharersOf(leader))
    return this.#run.start()
  }

  #sharersOf(leader: Run): Sharers {
    const longestTimeout = () => this.#longestTimeout()
    const latestSendBy = () => this.#latestSendBy()
    return {
      observer: leader.observer,
      get timeoutMs() {
        return longestTimeout()
      },
      get sendBy() {
        return latestSendBy()
      },
      throwIfAborted: () => leader.throwIfAborted(),
      onPhase: () => {
        for (const member of this.#members) this.#setTimer(member)
      },
    }
  }

  #deliver(answer: Omit<SharedAnswer, 'isPayer'>): void {
    this.#answer = answer
    const [payer] = this.#members
    for (const member of this.#members) {
      clearTimeout(member.timer)
      member.resolve({ ...answer, isPayer: member === payer && answer.fetched !== undefined })
    }
    this.#members.clear()
  }

  /**
   * Rejects members with an error. Some continue, and one of them sends the request again: if nothing was sent, all except
   * the leader; if nothing was charged, those with another retry policy.
   */
  #refuse(leader: Member, error: unknown): void {
    const { charged = 'no', attempts = [] } = isInstance(error, SocialSearchError) ? error : {}
    const isUnsent = charged === 'no' && attempts.every(({ sent }) => sent === null)
    const policy = leader.run.call.settings.retry
    for (const member of isUnsent ? [leader] : this.#members) {
      if (charged === 'no' && !isSame(member.run.call.settings.retry, policy)) continue
      clearTimeout(member.timer)
      member.reject(error)
      this.#members.delete(member)
    }
    this.#timeoutMs = undefined
  }

  #leave(member: Member, reason: unknown): void {
    clearTimeout(member.timer)
    if (!this.#members.delete(member)) return
    if (member.run.timeoutMs === this.#timeoutMs) this.#timeoutMs = undefined
    if (this.#members.size > 0) return
    this.#close()
    this.#run?.abort(reason)
  }

  /** Limits the time of the attempt in flight for a member. */
  #setTimer(member: Member): void {
    const { run } = member
    if (this.#run?.isIdle !== false) {
      clearTimeout(member.timer)
      member.timer = undefined
    } else member.timer ??= setTimeout(() => this.#expire(run), run.timeoutMs)
  }

  /** If no other member allows more time, the attempt itself is about to end. */
  #expire(run: Run): void {
    if (run.timeoutMs < this.#longestTimeout()) run.abort(run.lateError())
  }

  #longestTimeout(): number {
    if (this.#timeoutMs === undefined) {
      this.#timeoutMs = 0
      for (const { run } of this.#members) this.#timeoutMs = Math.max(this.#timeoutMs, run.timeoutMs)
    }
    return this.#timeoutMs
  }

  #latestSendBy(): number {
    let latest = -Infinity
    for (const { run } of this.#members) latest = Math.max(latest, run.sendBy)
    return latest
  }
}

function isSame(a: RetryPolicy, b: RetryPolicy): boolean {
  return a.ambiguous === b.ambiguous && a.maxAttempts === b.maxAttempts && a.maxWaitMs === b.maxWaitMs
}

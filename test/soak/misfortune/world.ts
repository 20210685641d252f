import { createHash } from 'node:crypto'
import type { Charged, ClientOptions, CreditBudget, SocialSearch } from '../../../src/index.ts'
import type { AnyCallOptions } from '../../../src/core/options/options.ts'
import type { Random } from '../../../src/extensions/sandbox/random.ts'
import type { SoakOperation } from './operations.ts'

/** What all parts of an episode share. */
export interface World {
  /** Of the episode; each part appends its name. */
  readonly seed: string
  readonly trace: Trace
  readonly requests: RequestRecord[]
  readonly calls: Map<string, CallRecord>
  readonly budgets: readonly CreditBudget[]
  /** The fraction of requests that meet with a fault. */
  readonly misfortune: number
  /** What all calls ask for, so that they queue for one surface; null if they differ. */
  readonly crowd: SoakOperation | null
  /** To be called by each callback: now and then it aborts a call, or closes a client, in the middle of the package's work. */
  interfere(): void
}

/** What happened, line by line, with virtual times: the same for the same seed. */
export class Trace {
  readonly lines: string[] = []
  readonly failures: string[] = []

  #hasEnded = false

  add(what: string): void {
    const time = this.#hasEnded ? 'at the end' : performance.now().toFixed(1)
    this.lines.push(`${time.padStart(12)} ${what}`)
  }

  /** Virtual time is over: what follows has no time that would be the same in each run. */
  end(): void {
    this.#hasEnded = true
  }

  /**
   * Notes that a promise is broken.
   *
   * @param error Its stack is shown, but is no part of the trace: it depends on what called the run.
   */
  fail(what: string, error?: unknown): void {
    this.failures.push(error instanceof Error ? `${what}\n${error.stack}` : what)
    this.add(`✗ ${what}`)
  }

  digest(): string {
    return createHash('sha256').update(this.lines.join('\n')).digest('hex')
  }
}

/** What the client could know about one request when it ended. */
export type Evidence =
  /** It provably never left. */
  | 'unsent'
  /** An error body of the service arrived whole: not charged. */
  | 'refused'
  /** The service's own success arrived whole, of documented shape. */
  | 'page'
  /** Another 2xx arrived whole. */
  | 'odd'
  /** Anything else: it may have been charged. */
  | 'unclear'

/** One request as the simulated network and service saw it. */
export interface RequestRecord {
  readonly call: CallRecord
  /** Part of the call that sent it, see {@link CallRecord.part}. */
  readonly part: number
  fault: string
  /** Position in the walk. */
  page: number
  /** A short form of what was asked for. */
  params: string
  /** Milliseconds of virtual time. */
  readonly sentAt: number
  endedAt: number | null
  /** The credential that it carried. */
  readonly token: string | null
  evidence: Evidence
  /** Of an answer that arrived whole. */
  status: number | null
  /** When an error of the service that announces a wait allows the next attempt. */
  retryAt: number | null
  /** Credits that the service charged for it. */
  charged: number
}

/** An organization of the service: what its limits apply to. */
export interface OrganizationRecord {
  readonly name: string
  /** What clients share their limits by. */
  readonly label: string
  /** Whether all its clients keep the pace. */
  readonly isPaced: boolean
  /** Of all its clients. */
  readonly limits: NonNullable<ClientOptions['limits']>
  /** Requests that the service holds open. */
  readonly open: Set<RequestRecord>
  /** Times of arrivals, by surface. */
  readonly arrivals: Map<string, number[]>
  /** By surface: when a 429 that a client has read whole allows the next request. */
  readonly closedUntil: Map<string, number>
}

/** The options that decide what to expect of a call. */
export interface CallSettings {
  readonly validation: 'strict' | 'lenient' | 'off'
  readonly retriesUnknown: boolean
  readonly maxAttempts: number
  /** Milliseconds; null for the default. */
  readonly timeoutMs: number | null
  readonly deadlineMs: number | null
  readonly budgets: readonly CreditBudget[]
}

/** How a client gets its key or tokens. */
export interface Credential {
  readonly kind: string
  readonly options: Pick<ClientOptions, 'apiKey' | 'auth'>
  readonly isRefreshable: boolean
  /** Whether the service refuses a token by now. */
  isRevoked(token: string): boolean
  /** Every secret that the client was given so far. */
  readonly secrets: ReadonlySet<string>
}

/** A client, with those that `withOptions()` made from it. */
export interface ClientRecord {
  readonly name: string
  readonly organization: OrganizationRecord
  /** The client itself first. */
  readonly variants: readonly { readonly client: SocialSearch; readonly settings: CallSettings }[]
  /** Prices by operation id that differ from the documented ones. */
  readonly prices: Readonly<Record<string, number>>
  readonly credential: Credential
  closedAt: number | null
  readonly calls: CallRecord[]
}

/** A moment in the life of a call or of its request, at which the caller may abort. */
export type Moment = 'start' | 'sent' | 'arrived' | 'headers' | 'body' | 'end' | 'wait' | 'settled'

/** When and why the caller aborts a call. */
export interface AbortPlan {
  readonly controller: AbortController
  readonly what: string
  abort(): void
  /** Something happens to the call. */
  reach(moment: Moment): void
}

export type Mode = 'await' | 'withResponse' | 'pages' | 'items' | 'toArray' | 'together' | 'resume'

/** One call of the run. */
export interface CallRecord {
  readonly id: string
  readonly operation: SoakOperation
  readonly owner: ClientRecord
  readonly client: SocialSearch
  readonly options: AnyCallOptions
  readonly settings: CallSettings
  readonly mode: Mode
  /** When it is made, in milliseconds from the start. */
  readonly startsAt: number
  readonly plan: AbortPlan | null
  /** Decides what the reader of a walk does. */
  readonly random: Random
  /** In a line of the trace. */
  readonly what: string
  /** Pages that the service has for it. */
  readonly pages: number
  readonly requests: RequestRecord[]
  /** Counts up with each page that a walk delivers, and each time it resumes. */
  part: number
  /** Items that a walk delivered, as JSON. */
  readonly delivered: string[]
  /** Whether an option or the reader ended the walk early. */
  isCutShort: boolean
  isRejected: boolean
  /** Whether the reader waits between pages. */
  isSlowReader: boolean
  startedAt: number
  settledAt: number | null
  abortedAt: number | null
  /** The last error of ours: what it says, how many of its attempts were sent, and the part of the call that it ended. */
  error: {
    readonly name: string
    readonly charged: Charged
    readonly sent: number
    readonly part: number
  } | null
  /** Whether the last error of ours has a page that was paid for. */
  isPageInError: boolean
  /** From `withResponse()`. */
  credits: { readonly spent: number; readonly uncertain: number } | null
}

/** Whether a call in this mode goes through pages, one after the other. */
export function isWalk(mode: Mode): boolean {
  return ['pages', 'items', 'toArray', 'resume'].includes(mode)
}

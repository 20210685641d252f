import type { Charged, ClientOptions, CreditBudget, SocialSearch } from '../../../src/index.ts'
import type { Interference } from './interference.ts'
import type { MishapName } from './mishaps.ts'
import type { SoakOperation } from './operations.ts'
import type { Trace } from './trace.ts'

/** What all parts of an episode share. */
export interface World {
  /** Of the episode; each part appends its name. */
  readonly seed: string
  readonly trace: Trace
  readonly interference: Interference
  readonly budgets: readonly CreditBudget[]
  /** What all calls ask for, so that they queue for one surface; null if they differ. */
  readonly crowd: SoakOperation | null
  readonly fetch: typeof globalThis.fetch
}

/** What the client could know about one request when it ended. */
type Evidence =
  /** It provably never left. */
  | 'unsent'
  /** An error body of the service arrived whole: not charged. */
  | 'refused'
  /** A 2xx arrived whole. */
  | 'success'
  /** Anything else: it may have been charged. */
  | 'unclear'

/** One request as the simulated network and service saw it. */
export interface RequestRecord {
  readonly call: CallRecord
  /** Part of the call that sent it, see {@link CallRecord.part}. */
  readonly part: number
  mishap: MishapName
  /** Position in the walk. */
  page: number
  /** A short form of what was asked for. */
  params: string
  /** Milliseconds of virtual time. */
  readonly sentAt: number
  /** The credential that it carried. */
  readonly token: string | null
  arrivedAt: number | null
  endedAt: number | null
  evidence: Evidence
  /** Of an answer that arrived whole. */
  status: number | null
  /** Credits that the service charged for it. */
  charged: number
  /** The service's own success, of documented shape. */
  isClean: boolean
}

/** An organization of the service: what its limits apply to. */
export interface OrganizationRecord {
  readonly name: string
  /** What clients share their limits by. */
  readonly label: string
  /** Whether all its clients keep the pace. */
  readonly isPaced: boolean
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

/** A client with its settings. */
interface Variant {
  readonly client: SocialSearch
  readonly settings: CallSettings
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
  readonly variants: readonly [Variant, ...Variant[]]
  /** Prices by operation id that differ from the documented ones. */
  readonly prices: Readonly<Record<string, number>>
  /** Requests in flight that this client may have. */
  readonly mostInFlight: number
  readonly open: Set<RequestRecord>
  readonly credential: Credential
  closedAt: number | null
  readonly calls: CallRecord[]
}

export type Mode = 'await' | 'withResponse' | 'pages' | 'items' | 'toArray' | 'together' | 'resume'

/** Whether a call in this mode goes through pages, one after the other. */
export function isWalk(mode: Mode): boolean {
  return ['pages', 'items', 'toArray', 'resume'].includes(mode)
}

/** One call of the run. */
export interface CallRecord {
  readonly id: string
  readonly operation: SoakOperation
  readonly owner: ClientRecord
  readonly mode: Mode
  readonly settings: CallSettings
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
  /** The last error of ours: what it says, and the part of the call that it ended. */
  error: {
    readonly name: string
    readonly charged: Charged
    /** Attempts that were sent. */
    readonly sent: number
    readonly part: number
  } | null
  /** Whether the last error of ours has a page that was paid for. */
  isPageInError: boolean
  /** From `withResponse()`. */
  credits: { readonly spent: number; readonly uncertain: number } | null
}

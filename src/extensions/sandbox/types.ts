import type { MicroblogPost } from '../../api/endpoints/microblog.ts'
import type { ProfessionalnetCompany } from '../../api/endpoints/professionalnet/company.ts'
import type { Scope } from '../../api/operation.ts'
import type {
  ProfessionalnetActor,
  ProfessionalnetPost,
  ProfessionalnetSocialDetails,
} from '../../api/endpoints/professionalnet/posts.ts'
import type { Fault } from './faults.ts'

/** Limits that a sandbox enforces; the defaults are the service's own. */
export interface SandboxLimits {
  /** Requests that may be open at once; `false` for any number. Default 2. */
  inFlight?: number | false | undefined
  /** Requests that a search surface accepts within the window; `false` for any number. Default 20. */
  perMinute?: number | false | undefined
  /** Length of the window in milliseconds. Default 60,000. */
  windowMs?: number | undefined
}

/** A further API key that a sandbox accepts. */
export interface SandboxKey {
  /** What stands behind `Bearer `: visible ASCII characters. */
  key: string
  scopes: readonly Scope[]
}

/** A microblog post of your test. The sandbox fills in missing fields. */
export interface SandboxPost extends Partial<Omit<MicroblogPost, 'body' | 'engagements'>> {
  body: string
  /** For the filter `lang`; a search does not return it. Default `en`. */
  lang?: string | undefined
  engagements?: Partial<MicroblogPost['engagements']> | undefined
}

/** A post on the professional network of your test. The sandbox fills in missing fields. */
export interface SandboxNetworkPost extends Partial<
  Omit<ProfessionalnetPost, 'commentary' | 'actor' | 'social_details'>
> {
  commentary: string
  actor?: Partial<ProfessionalnetActor> | undefined
  social_details?: Partial<ProfessionalnetSocialDetails> | undefined
}

/** The profile of a company of your test. The sandbox fills in missing fields. */
export interface SandboxCompany extends Partial<ProfessionalnetCompany> {
  name: string
}

/** Your own content. A list that you name here has these records only; the others keep their made-up ones. */
export interface SandboxContent {
  microblog?: readonly SandboxPost[] | undefined
  professionalnet?: readonly SandboxNetworkPost[] | undefined
  /**
   * Mentions, newest first. The service documents no fields. The sandbox fills in those that its filters use: `id`,
   * `listenerId`, `network`, `publishedAt`, `fitScore` and `state`.
   */
  mentions?: readonly object[] | undefined
  /** The sandbox fills in `id`, `name`, `keywords` and `networks`; without `mentions`, it makes up some for them. */
  listeners?: readonly object[] | undefined
  /** Companies to look up, in addition to the made-up ones. */
  companies?: readonly SandboxCompany[] | undefined
}

/** Posts of the microblog, or posts and mentions by network. */
export type SandboxPublication =
  readonly SandboxPost[] | Pick<SandboxContent, 'microblog' | 'professionalnet' | 'mentions'>

/** How posts come as time passes. Sandboxes with the same seed and growth have the same ones. */
export interface SandboxGrowth {
  /** Posts an hour about each query, up to 3,600, at equal distances. */
  perHour: number
  /** When posts begin to come. Default now. */
  since?: Date | undefined
}

/** How a sandbox is set up; every field is optional. */
export interface SandboxOptions {
  /** The same seed gives the same posts, ids and key. Default 1. */
  seed?: number | undefined
  /** How many microblog posts there are, up to 100,000; the other networks have a fraction of it. Default 4,000. */
  posts?: number | undefined
  /**
   * The sandbox's clock: a fixed date, or a function that returns a date or milliseconds since 1970. Default: now.
   */
  now?: Date | (() => Date | number) | undefined
  /** New posts an hour about each query, on each network with made-up posts, from now on. Default 0. */
  growth?: number | SandboxGrowth | undefined
  /** Milliseconds before each answer, or the bounds to draw them from. Default 0, which sets no timer. */
  latency?: number | readonly [min: number, max: number] | undefined
  /** The limits that the sandbox enforces; those of the service by default. */
  limits?: SandboxLimits | undefined
  /** Your own content in place of the made-up one. */
  content?: SandboxContent | undefined
  /** Keys besides {@link Sandbox.apiKey}, to try out scopes. */
  keys?: readonly SandboxKey[] | undefined
}

/** What a sandbox has charged so far; a live view. Each request says what it was charged. */
export interface SandboxLedger {
  readonly spent: number
  readonly byOperation: Readonly<Record<string, number>>
}

/** A request as the sandbox saw it. */
export interface SandboxRequest {
  /** Time of arrival, in milliseconds of `performance.now()`. */
  readonly at: number
  readonly method: string
  /** Path of the URL, without the query. */
  readonly path: string
  /** Query of the URL with its question mark, or an empty text. */
  readonly query: string
  /** By their names in lower case. The key in `authorization` is replaced by `[redacted]`. */
  readonly headers: Readonly<Record<string, string>>
  /** Id of the operation, or null if no operation has this method and path. */
  readonly operation: string | null
  /** Null until answered; stays null if the connection broke or the client gave up first. */
  readonly status: number | null
  readonly requestId: string
  /** Requests that were open on arrival, this one included. */
  readonly inFlight: number
  /** The body as parsed JSON; undefined until it is read, or if it is not JSON. */
  readonly body: unknown
  /** Credits charged, also if the client gave up while the request was processed. */
  readonly charged: number
}

/** A request while the sandbox handles it. */
export type RequestEntry = { -readonly [Field in keyof SandboxRequest]: SandboxRequest[Field] }

/** Options of a client for one test. */
export interface SandboxClientOptions {
  /** Address of the sandbox. */
  baseUrl: string
  /** The sandbox's key. */
  apiKey: string
  /** Absent for a sandbox that answers over HTTP. */
  fetch?: (request: Request) => Promise<Response>
  /** A new label each time, so that the client has limits of its own. */
  organization: string
  /** The sandbox's rate limit, if it differs. Leave it out if you pass a `limiter`. */
  limits?: { perMinute: number | false } | undefined
  /** The key is made up, so jsdom and browsers may have it. */
  dangerouslyAllowBrowser: true
  /** Waits of a simulation need no warning. */
  logger: false
}

/** The service, simulated. */
export interface Sandbox {
  /** Answers a request to any host, as `fetch` would. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Base URL to give to a client. */
  readonly baseUrl: string
  /** A made-up key with the scopes of a new API key: every scope that reads. */
  readonly apiKey: string
  /** A made-up key that also has `mentions:write`. */
  readonly writeKey: string
  /**
   * What a `CatalogClient` needs. The catalog is separate: no credits, no limits, no injected faults. Callback
   * URLs are not called.
   */
  readonly catalog: { readonly baseUrl: string; readonly token: string }
  /**
   * Options for `new SocialSearch()`. Each result gives a client its own limits, so a 429 in one test does not delay the next.
   * To share limits, use the same object.
   */
  clientOptions(): SandboxClientOptions
  readonly ledger: SandboxLedger
  /** Every request so far, in order of arrival; a live view. */
  readonly requests: readonly SandboxRequest[]
  /** Makes the next requests fail, or answers them, whatever their paths: those of `client.request()`, too. */
  inject(fault: Fault): void
  /**
   * Adds posts or mentions to those there are; an array has microblog posts. A record without a time is as new as the clock
   * of the sandbox says.
   *
   * @throws {ConfigurationError} for a record that the service would not send; then nothing is added.
   */
  publish(content: SandboxPublication): void
}

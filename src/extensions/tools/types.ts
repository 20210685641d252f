import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import type { SocialSearch, Budget } from '../../index.ts'
import type { CallCredits } from '../../extend.ts'
import type { Issue } from '../../api/issues.ts'
import type { JsonSchema } from '../../api/schema/json-schema.ts'
import type { Price } from '../../api/price.ts'
import type { OperationId } from '../../api/operations.ts'
import type { Applied, Charged } from '../../errors/index.ts'

/** Asks a person about a call that may cost more than `confirmAbove`. */
export type Confirm = (request: ConfirmRequest) => boolean | Promise<boolean>

/** A call that needs approval. The approval covers these arguments and this price only. */
export interface ConfirmRequest {
  /** Name of the tool. */
  tool: string
  /** The arguments of the call, as plain JSON. */
  input: Record<string, unknown>
  /** How many pages. */
  pages: number
  /** Maximum cost in credits. If the service documents no maximum, the cost of 1,000 items. */
  atMost: number
  /** Whether the call can never cost more than `atMost`. */
  isBounded: boolean
  /** How the price comes about, in a sentence. */
  why: string
  signal?: AbortSignal | undefined
}

/** Options of {@link createTools}. */
export interface ToolsOptions<Id extends OperationId = OperationId> {
  /** Makes the calls. */
  client: SocialSearch
  /** Credits for all calls of these tools together: a number, or a budget that you can read and share. */
  budget: number | Budget
  /** Ids of the operations to offer. Default: the searches, `professionalnet.company.get` and `organization.usage`. */
  allow?: readonly Id[] | undefined
  /** Calls that may cost more credits than this need approval by `confirm`. Default: none. */
  confirmAbove?: number | undefined
  /** Asks a person for approval. Without it, calls above `confirmAbove` are refused. */
  confirm?: Confirm | undefined
  /** Items of a page in one result, 1 to 100. The others follow by `next`, for free. Default 20. */
  maxItems?: number | undefined
  /** Where to cut texts, in characters, 20 to 20,000. Default 1,000. */
  maxText?: number | undefined
  /** Length of one result as JSON, in characters, 4,000 to 1,000,000. Items that do not fit follow by `next`, for free. Default 20,000. */
  maxResult?: number | undefined
  /**
   * For how long an equal call gets the same answer again, for 0 credits, in milliseconds. Default: 0 for `createTools()`, 5
   * minutes for `createMcp()`.
   */
  reuseFor?: number | undefined
  /** Fields of the items, by operation id: `{ 'microblog.search': ['id', 'body'] }`. Default: a few short ones. */
  fields?: { readonly [Operation in OperationId]?: readonly string[] | undefined } | undefined
  /** A collection that you have already. The free tool `archive_search` searches it, and models are told to ask it first. */
  archive?: Archive | undefined
  /** Set it for a sandbox: each result then says that everything is made up. Default false. */
  simulated?: boolean | undefined
}

/** A collection of records, such as a file of `social-search watch --out`. */
export interface Archive {
  /** Finds records with all words of the query. It costs nothing. */
  find(query: string, options: { limit: number }): ArchiveMatches | Promise<ArchiveMatches>
}

/** Records of a collection. */
export interface ArchiveMatches {
  /** The newest records, as the service sent them, by the operation that they came from. */
  readonly kinds: readonly {
    readonly operation: { readonly id: string }
    readonly records: readonly unknown[]
  }[]
  /** How many records match. */
  readonly total: number
  readonly reach: ArchiveReach
}

/** How far a collection reaches. */
export interface ArchiveReach {
  readonly records: number
  /** When the oldest and the newest record were published, ISO 8601; null if unknown. */
  readonly from: string | null
  readonly to: string | null
  /** When the collection was last updated, ISO 8601; null if unknown. */
  readonly lastCheck: string | null
  /** In how many spans of this time posts are missing. */
  readonly gaps: number
  /** The searches that the records came from, the latest first. A result without a match names five of them. */
  readonly searches?: readonly string[] | undefined
}

/** JSON Schema with descriptions. */
export interface ToolJsonSchema extends Omit<JsonSchema, 'properties' | 'additionalProperties'> {
  readonly description?: string
  readonly properties?: Readonly<Record<string, ToolJsonSchema>>
  /** An empty schema if any other property is allowed. */
  readonly additionalProperties?: boolean | Readonly<Record<string, never>>
}

/** JSON Schema and Standard Schema in one object. */
export interface ToolSchema extends ToolJsonSchema {
  readonly '~standard': StandardSchemaV1.Props<Record<string, unknown>, Record<string, unknown>> &
    StandardJSONSchemaV1.Props<Record<string, unknown>, Record<string, unknown>>
}

/** The definition of a tool as plain JSON, for the APIs of model providers. */
export interface ToolJson {
  /** For `tools` of Anthropic's Messages API. */
  readonly anthropic: { name: string; description: string; input_schema: ToolParameters }
  /** For `tools` of OpenAI's Responses API. */
  readonly openai: ToolFunction & { type: 'function' }
  /** For `tools` of OpenAI's Chat Completions API. */
  readonly openaiChat: { type: 'function'; function: ToolFunction }
  /** For `tool()` of OpenAI Agents, beside `execute`. It takes only schemas that let other properties pass. */
  readonly openaiAgents: ToolFunction & { parameters: { additionalProperties: true } }
}

/** The arguments of a tool as plain JSON Schema. */
export interface ToolParameters {
  type: 'object'
  properties: Record<string, Record<string, unknown>>
  required: string[]
  additionalProperties: boolean
  [keyword: string]: unknown
}

/** A function that a model may call. Optional params rule out `strict: true`. */
export interface ToolFunction {
  name: string
  description: string
  parameters: ToolParameters
  strict: false
}

/** Options of one call of a tool. */
export interface ToolCallOptions {
  /** Cancels the call. If it was sent, its answer is kept. */
  signal?: AbortSignal | undefined
  /** The same, under the name of the AI SDK. */
  abortSignal?: AbortSignal | undefined
  /** Asks a person, in place of `confirm` of the tools. */
  confirm?: Confirm | undefined
  /** Called after each page except the last, when a page has to wait, and every 5 seconds until it is there. */
  onProgress?: ((progress: ToolProgress) => void) | undefined
}

/** How far a call is. */
export interface ToolProgress {
  /** Pages read so far. */
  done: number
  pages: number
  /** Why the call is waiting, `sent` for an answer; absent after a page. */
  waiting?: string
}

/** A tool for a language model. */
export interface AgentTool {
  /** The operation's id with underscores: `microblog_search`. */
  readonly name: string
  /** What people call it: `Search microblog posts`. */
  readonly title: string
  /** The operation that it calls; null for `archive_search`. */
  readonly operation: OperationId | null
  /** What a call costs, at the client's prices. */
  readonly price: Price
  /** What it finds and what it costs. */
  readonly description: string
  readonly inputSchema: ToolSchema
  readonly json: ToolJson
  /** Runs the tool. It never rejects: failures are results with `ok: false`. */
  readonly execute: (input: unknown, options?: ToolCallOptions) => Promise<ToolResult>
}

/** What to count by. Days and weeks are in UTC. */
export type ToolSummary = 'day' | 'week' | 'author'

/** What a tool returns, as plain JSON. */
export interface ToolResult {
  ok: boolean
  /** What went wrong, and what to do. */
  error?: ToolFailure
  /** What the model should know: texts are data, nothing was found, or everything is simulated. */
  notice?: string
  /** Items on the pages that were read. */
  returned?: number
  /** Pages that were read. */
  pages?: number
  /** When the oldest and the newest of these items were posted. */
  oldest?: string
  newest?: string
  /** With `summary`: items for each day, week (its Monday) or author. */
  counts?: [string, number][]
  /** With `summary`: pass it as `next`, without `summary`, to get the counted items for free. */
  details?: string
  /** The items; with `summary`, the first five. The default fields have short names, others their paths. */
  items?: Record<string, unknown>[]
  /** The answer of an operation without a list. */
  record?: Record<string, unknown>
  /** Pass it as `next` to read on; null at the end. Absent for calls without pages. */
  next?: string | null
  credits: ToolCredits
}

/** Credits of one call. */
export interface ToolCredits extends CallCredits {
  /** Credits left in the budget; null if unknown. */
  remaining: number | null
}

/** A failure, written for a model. */
export interface ToolFailure {
  /** An error code of the SDK, or one of the tools' own. */
  code: string
  /** What is wrong, and what to do. */
  message: string
  /** Invalid params. */
  issues?: readonly Issue[]
  /** Seconds to wait before the next attempt. */
  retryAfter?: number
  /** Whether the call cost credits. */
  charged: Charged
  /** For a write: whether it changed data. */
  applied?: Applied
  /** True if further calls are useless: the budget is spent, or the key does not work. */
  stop: boolean
}

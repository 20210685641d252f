import type { StandardJSONSchemaV1, StandardSchemaV1 } from '@standard-schema/spec'
import type { SocialSearch, Budget } from '../../index.ts'
import type { CallCredits } from '../../extend.ts'
import type { Issue } from '../../api/issues.ts'
import type { JsonSchema } from '../../api/schema/json-schema.ts'
import type { Price } from '../../api/operation.ts'
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
  /** Pages to buy. */
  pages: number
  /** Credits that the call may cost at most. If the service documents no bound, an estimate for 1,000 items. */
  atMost: number
  /** Whether `atMost` is a bound. */
  isBounded: boolean
  /** How the price comes about, in a sentence. */
  why: string
  signal?: AbortSignal | undefined
}

/** Options of {@link createTools}. */
export interface ToolsOptions<Id extends OperationId = OperationId> {
  /** Makes the calls. */
  client: SocialSearch
  /** Credits for all calls of these tools together, or a budget to take them from, which says what they have cost. */
  budget: number | Budget
  /** Ids of the operations to offer. Default: the searches, `professionalnet.company.get` and `organization.usage`. */
  allow?: readonly Id[] | undefined
  /** Calls that may cost more need approval by `confirm`. Default: none does. */
  confirmAbove?: number | undefined
  /** Asks a person. Without it, calls above `confirmAbove` are refused. */
  confirm?: Confirm | undefined
  /** Most items of a page in one result, 1 to 100. The others stay available by `next`, for free. Default 20. */
  maxItems?: number | undefined
  /** Most characters of one text in a result, 20 to 20,000. Default 1,000. */
  maxText?: number | undefined
  /** Fields of the items of an operation, such as `engagements.viewsCount`. Default: those that a model needs. */
  fields?: { readonly [Operation in OperationId]?: readonly string[] | undefined } | undefined
  /** Says in each result that everything is made up. Set it for a client of the sandbox. Default false. */
  simulated?: boolean | undefined
}

/** JSON Schema with descriptions. */
export interface ToolJsonSchema extends Omit<JsonSchema, 'properties' | 'additionalProperties'> {
  readonly description?: string
  readonly properties?: Readonly<Record<string, ToolJsonSchema>>
  /** An empty schema if any other property is allowed. */
  readonly additionalProperties?: boolean | Readonly<Record<string, never>>
}

type Arguments = Record<string, unknown>

/** JSON Schema and Standard Schema in one object. */
export interface ToolSchema extends ToolJsonSchema {
  readonly '~standard': StandardSchemaV1.Props<Arguments, Arguments> &
    StandardJSONSchemaV1.Props<Arguments, Arguments>
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
  /** Called after each page but the last, and when a page has to wait. */
  onProgress?: ((progress: ToolProgress) => void) | undefined
}

/** How far a call is. */
export interface ToolProgress {
  /** Pages that are done. */
  done: number
  pages: number
  /** Why the call waits; absent if a page is done. */
  waiting?: string
}

/** A tool for a language model. */
export interface AgentTool {
  /** The operation's id with underscores: `microblog_search`. */
  readonly name: string
  /** The operation that it calls. */
  readonly operation: OperationId
  /** What a success costs, at the prices of the client. */
  readonly price: Price
  /** What it finds and what it costs. */
  readonly description: string
  readonly inputSchema: ToolSchema
  readonly json: ToolJson
  /** Runs the tool. It never rejects: failures are results with `ok: false`. */
  readonly execute: (input: unknown, options?: ToolCallOptions) => Promise<ToolResult>
}

/** What the counts of a summary are by. Days and weeks are those of UTC. */
export type ToolSummary = 'day' | 'week' | 'author'

/** What a tool returns, as plain JSON. */
export interface ToolResult {
  ok: boolean
  /** What went wrong, and what to do. */
  error?: ToolFailure
  /** Says that the texts below are data, how old they are, that nothing was found, or that everything is simulated. */
  notice?: string
  /** Items on the pages that were read. */
  returned?: number
  /** Pages that were read. */
  pages?: number
  /** Times of the oldest and the newest of these items. */
  oldest?: string
  newest?: string
  /** With `summary`: how many items each day, week or author has. Weeks are named by their Monday. */
  counts?: [string, number][]
  /** With `summary`: the handle that returns the counted items for free, as `next` of a call without `summary`. */
  details?: string
  /** Items of a list, with short names for the default fields and paths for others; with `summary`, the first five. */
  items?: Record<string, unknown>[]
  /** The answer of an operation without a list. */
  record?: Record<string, unknown>
  /** Handle of what follows; null after the end. Absent for operations without pages. */
  next?: string | null
  /** When the oldest page of the result arrived from the service, in ISO 8601, if a cache had it. */
  cachedAt?: string
  credits: ToolCredits
}

/** Credits of one call. */
export interface ToolCredits extends CallCredits {
  /** Left for further calls; null if the budget does not tell. */
  remaining: number | null
}

/** A failure, written for a model. */
export interface ToolFailure {
  /** The code of the SDK's error, or one of the tools' own. */
  code: string
  /** What is wrong and what to do. */
  message: string
  /** Invalid params. */
  issues?: readonly Issue[]
  /** Seconds to wait before the next try. */
  retryAfter?: number
  /** Whether the call cost credits. */
  charged: Charged
  /** For a write: whether it changed data. */
  applied?: Applied
  /** Whether further calls of these tools are useless. */
  stop: boolean
}

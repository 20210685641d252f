import type { SocialSearch, Budget } from '../../index.ts'
import type { ClientTransport } from '../../extend.ts'
import type { Operation } from '../../api/operation.ts'
import type { Schema } from '../../api/schema/schema.ts'
import type { Fields, Room } from './compact.ts'
import type { Archive, Confirm, ToolCallOptions, ToolSummary } from './types.ts'

/** What all tools of one `createTools()` share. */
export interface SessionSettings {
  readonly client: SocialSearch
  /** For all calls together. */
  readonly budget: Budget
  readonly confirmAbove: number
  readonly confirm: Confirm | undefined
  /** Takes the credits of each call from the budget of the session. */
  readonly transport: ClientTransport
  readonly maxItems: number
  readonly room: Room
  readonly reuseMs: number
  readonly simulated: boolean
  /** Credits of the cheapest call that costs any; Infinity if all are free. */
  readonly cheapest: number
}

/** A tool, as the session calls it. */
export interface SessionTool {
  readonly name: string
  readonly operation: Operation
  readonly input: Schema
  readonly fields: Fields | undefined
  /** Set for `archive_search`: where it finds its pages, in place of the service. */
  readonly archive?: Archive | undefined
}

/** What one call of a tool asks for. */
export interface ToolCall {
  readonly tool: SessionTool
  /** Copied, so that a caller who changes its input later changes nothing. */
  readonly args: Record<string, unknown>
  readonly pages: number
  readonly summary?: ToolSummary | undefined
  /** The handle that it begins at. */
  readonly next?: string | undefined
  readonly options: ToolCallOptions
  readonly signal: AbortSignal | undefined
}

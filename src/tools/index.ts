export { type DefaultToolId, type ToolName, type Tools, createTools, toolReport } from './create-tools.ts'
export type {
  AgentTool,
  Confirm,
  ConfirmRequest,
  ToolCallOptions,
  ToolCredits,
  ToolFailure,
  ToolFunction,
  ToolJson,
  ToolJsonSchema,
  ToolParameters,
  ToolProgress,
  ToolReport,
  ToolResult,
  ToolSchema,
  ToolTally,
  ToolsOptions,
} from './types.ts'

export { type DefaultToolId, type ToolName, type Tools, createTools, toolReport } from './create-tools.ts'
export type * from './types.ts'

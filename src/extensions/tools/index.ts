export { type DefaultToolId, type ToolName, type Tools, createTools } from './create-tools.ts'
export type * from './types.ts'

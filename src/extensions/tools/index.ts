export { type DefaultToolId, type ToolName, type Tools, createTools } from './create-tools.ts'
export type * from './types.ts'
export type { JsonSchema, JsonType } from '../../api/schema/json-schema.ts'
export type { CreditRateName, Price } from '../../api/price.ts'

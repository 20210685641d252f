export { type Mcp, type McpOptions, createMcp } from './create-mcp.ts'

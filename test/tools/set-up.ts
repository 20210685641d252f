import { operations } from '../../src/api/operations.ts'
import { SocialSearch } from '../../src/index.ts'
import { createSandbox } from '../../src/sandbox/index.ts'
import { type ToolResult, type ToolsOptions, createTools } from '../../src/tools/index.ts'

/** All tools, on a sandbox of their own. */
export function setUp(options: Partial<ToolsOptions> = {}, latency: number | [number, number] = 0) {
  const sandbox = createSandbox({ posts: 1000, limits: { perMinute: false }, latency })
  const client = new SocialSearch({ ...sandbox.clientOptions(), apiKey: sandbox.writeKey })
  const allow = operations.map(({ id }) => id)
  return { sandbox, client, tools: createTools({ client, budget: 50, allow, ...options }) }
}

export const codeOf = ({ error }: ToolResult) => error?.code
export const query = 'coffee'
export const url = 'https://www.professionalnet.example/posts/1'

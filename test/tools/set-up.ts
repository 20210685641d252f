import { operations } from '../../src/api/operations.ts'
import { type ClientOptions, SocialSearch } from '../../src/index.ts'
import { createSandbox } from '../support/sandbox.ts'
import { type ToolResult, type ToolsOptions, createTools } from '../../src/extensions/tools/index.ts'

/** All tools, on a sandbox of their own. */
export function setUp(
  options: Partial<ToolsOptions> = {},
  latency: number | [number, number] = 0,
  clientOptions: Partial<ClientOptions> = {},
) {
  const sandbox = createSandbox({ posts: 1000, limits: { perMinute: false }, latency })
  const client = new SocialSearch({
    ...{ ...sandbox.clientOptions(), apiKey: sandbox.writeKey },
    ...clientOptions,
  })
  const allow = operations.map(({ id }) => id)
  return { sandbox, client, tools: createTools({ client, budget: 50, allow, ...options }) }
}

export async function reached(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500 && !condition(); tries++)
    await new Promise((resolve) => setTimeout(resolve, 2))
}

export const codeOf = ({ error }: ToolResult) => error?.code
export const query = 'coffee'
export const url = 'https://www.professionalnet.example/posts/1'

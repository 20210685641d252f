import { SocialSearch } from '../../src/index.ts'
import { type Sandbox, createSandbox } from '../support/sandbox.ts'
import type { ToolResult } from '../../src/extensions/tools/index.ts'

/** Two pages cost 4; the third call meets the budget. */
export const budget = 5

export function setUp(latency = 0): { sandbox: Sandbox; client: SocialSearch } {
  const sandbox = createSandbox({ limits: { perMinute: false }, latency })
  return { sandbox, client: new SocialSearch(sandbox.clientOptions()) }
}

const first = { query: 'coffee' }

/** What a sensible model does: it searches, reads on, and stops when it is told to. Null to stop. */
export function decide(latest: ToolResult | undefined): Record<string, unknown> | null {
  if (latest === undefined) return first
  if (latest.error?.stop === true) return null
  if (typeof latest.next !== 'string') throw new Error(`no way to go on: ${JSON.stringify(latest)}`)
  return { ...first, next: latest.next }
}

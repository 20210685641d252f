import * as memory from '../../src/extensions/sandbox/index.ts'
import * as node from '../../src/extensions/sandbox/node.ts'
import { now } from '../clock/now.ts'

export type * from '../../src/extensions/sandbox/index.ts'
export type * from '../../src/extensions/sandbox/node.ts'

/** Stands still, so that the service answers the same however long a test takes; moves with virtual time. */
const clock = (): number => ('isFake' in Date ? Date.now() : now.getTime())

/** A sandbox with the clock of the tests, unless the test sets another. */
export function createSandbox(options: memory.SandboxOptions = {}): memory.Sandbox {
  return memory.createSandbox({ ...options, now: options.now ?? clock })
}

/** Like {@link createSandbox}, over HTTP. */
export function serveSandbox(options: node.SandboxServerOptions = {}): Promise<node.SandboxServer> {
  return node.serveSandbox({ ...options, now: options.now ?? clock })
}

/** The flag of a command in this process, or in one that gets its environment: its sandbox stands at the same time. */
export const sandboxFlag = '--sandbox'
process.env['SOCIAL_SEARCH_SANDBOX_NOW'] = now.toISOString()

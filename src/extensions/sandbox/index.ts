import { createService } from './service.ts'
import type { Sandbox, SandboxOptions } from './types.ts'

export type {
  Sandbox,
  SandboxClientOptions,
  SandboxCompany,
  SandboxContent,
  SandboxGrowth,
  SandboxKey,
  SandboxLedger,
  SandboxLimits,
  SandboxNetworkPost,
  SandboxOptions,
  SandboxPost,
  SandboxPublication,
  SandboxRequest,
} from './types.ts'
export type { Fault } from './faults.ts'

/** Each sandbox is a separate organization and gets its own address, since clients share limits by address. */
let sandboxes = 0

/**
 * Simulates the service in memory: it checks requests, enforces limits, charges credits, and searches made-up posts or
 * yours.
 *
 * Made up here, because the service does not document it: how search matches and ranks, the bodies of 403 and 404,
 * `retryAfter: 1` when too many requests are open at once, and the requests and responses of the
 * operations on persons, reactions, tech news, mentions, listeners, feeds and the organization, except for the form of ids.
 *
 * @example
 * const sandbox = createSandbox({ seed: 1 })
 * const client = new SocialSearch(sandbox.clientOptions())
 *
 * @throws {ConfigurationError} for an unknown option, and for content that the service would not send.
 */
export function createSandbox(options: SandboxOptions = {}): Sandbox {
  return createService(options).sandboxAt(`https://sandbox-${++sandboxes}.invalid`)
}

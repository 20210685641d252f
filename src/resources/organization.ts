import { organizationContext, organizationUsage } from '../contract/organization.ts'
import type { Transport } from '../core/transport.ts'
import { type OpenCall, openCall } from './open.ts'

/** Calls about the organization itself. All are free, with scope `org:read`. */
export interface Organization {
  /** Its brand or business context (`GET /organization/context`). */
  context: OpenCall
  /** Its credit usage in the current billing period (`GET /organization/usage`). */
  usage: OpenCall
}

/** The methods for the organization on a transport. */
export function organization(transport: Transport): Organization {
  return { context: openCall(transport, organizationContext), usage: openCall(transport, organizationUsage) }
}

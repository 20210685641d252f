import { organizationContext, organizationUsage } from '../api/endpoints/organization.ts'
import type { OpenBody } from '../api/endpoints/undocumented.ts'
import type { Transport } from '../core/call/transport.ts'
import type { CallOptions, SchemaOption } from '../core/options/options.ts'
import type { ApiCall } from '../core/pages/api-call.ts'
import { type OpenParams, type SchemaOrType, type Output, single, wired } from './methods.ts'

/** Your organization's context and credit usage. All calls are free, with scope `org:read`. */
export interface Organization {
  /**
   * Gets the organization's brand or business context (`GET /organization/context`). Free, with scope `org:read`. Its fields
   * are not documented; `schema` checks the whole body and gives it your type.
   */
  context<Schema extends SchemaOrType = undefined>(
    params?: OpenParams<CallOptions & SchemaOption>,
    options?: CallOptions & SchemaOption<Schema>,
  ): ApiCall<Output<Schema, OpenBody>>

  /**
   * Gets the organization's credit usage in the current billing period (`GET /organization/usage`). Free, with scope
   * `org:read`. Its fields are not documented; `schema` checks the whole body and gives it your type.
   */
  usage<Schema extends SchemaOrType = undefined>(
    params?: OpenParams<CallOptions & SchemaOption>,
    options?: CallOptions & SchemaOption<Schema>,
  ): ApiCall<Output<Schema, OpenBody>>
}

/**
 * The methods for the organization on a transport.
 *
 * @example
 * const usage = await organization(createTransport({ baseUrl, apiKey })).usage()
 */
export function organization(transport: Transport): Organization {
  return wired<'organization', Organization>({
    context: single(transport, organizationContext),
    usage: single(transport, organizationUsage),
  })
}

import type { CallOptions, SchemaOption } from '../core/options/types.ts'
import type { StandardSchemaV1 } from '@standard-schema/spec'
import type { OpenBody, OpenParams } from '../api/undocumented.ts'
import { organizationContext, organizationUsage } from '../api/organization.ts'
import type { ApiCall } from '../core/pages/api-call.ts'
import type { Transport } from '../core/call/transport.ts'
import { type Output, openCall } from './undocumented.ts'

/** Calls about the organization itself. All are free, with scope `org:read`. */
export interface Organization {
  /** The organization's context (`GET /organization/context`); `schema` checks the whole body and gives it your type. Free. */
  context<Schema extends StandardSchemaV1>(
    params: OpenParams,
    options: CallOptions & SchemaOption<Schema>,
  ): ApiCall<Output<Schema>>
  /** The organization's brand or business context (`GET /organization/context`). Free, with scope `org:read`. Its fields are not documented. */
  context(params?: OpenParams, options?: CallOptions): ApiCall<OpenBody>

  /** The organization's credit usage (`GET /organization/usage`); `schema` checks the whole body and gives it your type. Free. */
  usage<Schema extends StandardSchemaV1>(
    params: OpenParams,
    options: CallOptions & SchemaOption<Schema>,
  ): ApiCall<Output<Schema>>
  /** The organization's credit usage in the current billing period (`GET /organization/usage`). Free, with scope `org:read`. Its fields are not documented. */
  usage(params?: OpenParams, options?: CallOptions): ApiCall<OpenBody>
}

/**
 * The methods for the organization on a transport.
 *
 * @example
 * const usage = await organization(createTransport({ baseUrl, apiKey })).usage()
 */
export function organization(transport: Transport): Organization {
  return { context: openCall(transport, organizationContext), usage: openCall(transport, organizationUsage) }
}

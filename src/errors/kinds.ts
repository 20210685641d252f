import { ApiError } from './api.ts'
import type { ClientErrorCode, SocialSearchError } from './base.ts'

/** What has to change before the same call can succeed. */
export type ErrorKind = 'usage' | 'credentials' | 'budget' | 'refused' | 'failed'

const kinds: Readonly<Record<ClientErrorCode, ErrorKind>> = {
  configuration: 'usage',
  invalid_request: 'usage',
  connection: 'failed',
  timeout: 'failed',
  redirect: 'refused',
  invalid_response: 'refused',
  credit_budget: 'budget',
  budget_unavailable: 'budget',
  pagination: 'refused',
  invalid_event: 'failed',
  closed: 'failed',
  reauthorization_required: 'credentials',
  oauth: 'credentials',
  token_store: 'credentials',
  not_cached: 'failed',
}

/** A 402 is a proxy's, whose budget is used up. */
const kindsByStatus: Readonly<Record<number, ErrorKind>> = {
  401: 'credentials',
  402: 'budget',
  403: 'credentials',
}

export function kindOf(error: SocialSearchError): ErrorKind {
  if (error instanceof ApiError) return kindsByStatus[error.status] ?? 'refused'
  return kinds[error.code as ClientErrorCode]
}

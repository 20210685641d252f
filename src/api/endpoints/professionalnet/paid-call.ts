import { recommendedTimeoutMs } from '../../limits.ts'

/** Fields shared by the documented paid calls of the network. */
export const paidCall = {
  method: 'POST',
  scopes: ['search:read'],
  surface: 'professionalnet',
  timeoutMs: recommendedTimeoutMs,
  errors: [400, 401, 429, 502, 503],
} as const

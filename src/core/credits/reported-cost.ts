import { isRecord } from '../../lib/is-record.ts'
import type { BudgetRefusal, Charged } from '../../errors/index.ts'
import type { CallCredits } from './price.ts'

// A proxy with this package says what a call has cost. The service itself does not.

/** Response header with the cost of a call, all attempts included. */
export const creditsHeader = 'social-search-credits'

const creditsForm =
  /^spent=(\d{1,9}(?:\.\d{1,6})?), uncertain=(\d{1,9}(?:\.\d{1,6})?), charged=(no|yes|unknown)$/

/** Null if the header is missing or malformed. */
export function readCredits(headers: Headers): (CallCredits & { readonly charged: Charged }) | null {
  const match = creditsForm.exec(headers.get(creditsHeader) ?? '')
  return match && { spent: Number(match[1]), uncertain: Number(match[2]), charged: match[3] as Charged }
}

/**
 * Whether the call of an error body was charged, or for a write, applied. Null if a proxy does not say it. The body has it
 * too, since a page of another origin may not see the header.
 */
export function readCharged(body: unknown): Charged | null {
  const error = errorOf(body)
  return (['no', 'yes', 'unknown'] as const).find((charged) => charged === error['charged']) ?? null
}

/** Why a budget of a proxy refused the call; null for any other error body. */
export function readBudgetRefusal(body: unknown): BudgetRefusal | null {
  const { code, needed, remaining, resetsAt, whose } = errorOf(body)
  if (code !== 'budget_exceeded' || typeof needed !== 'number' || typeof remaining !== 'number') return null
  return {
    needed,
    remaining,
    resetsAt: typeof resetsAt === 'number' ? resetsAt : null,
    whose: whose === 'user' || whose === 'all' ? whose : undefined,
  }
}

function errorOf(body: unknown): Readonly<Record<string, unknown>> {
  return isRecord(body) && isRecord(body['error']) ? body['error'] : {}
}

import { BudgetUnavailableError, OAuthError, SocialSearchError } from '../../errors/index.ts'
import { kindOf } from '../../errors/kinds.ts'

/**
 * What the error of a check means for a watch. `end`: no search can succeed any more. `away`: something that all searches need
 * does not answer. `search`: the others may succeed.
 */
export function meaningOf(error: unknown): 'end' | 'away' | 'search' {
  if (!(error instanceof SocialSearchError) || error.code === 'closed') return 'end'
  if (error instanceof BudgetUnavailableError) return error.temporary ? 'away' : 'end'
  if (error instanceof OAuthError) return isRefusal(error) ? 'end' : 'away'
  if (error.code === 'token_store') return 'away'
  return ['usage', 'credentials'].includes(kindOf(error)) || error.code === 'credit_budget' ? 'end' : 'search'
}

/** The authorization server knows the client, and refuses it. */
function isRefusal({ status = 500 }: OAuthError): boolean {
  return status < 500 && status !== 429
}

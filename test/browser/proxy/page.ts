import type { SocialSearch } from '../../../src/index.ts'

/** What a page has met. Plain data, so that it can leave a browser. */
export interface PageReport {
  /** Ids of the posts of three pages, in order. */
  readonly ids: readonly string[]
  readonly industries: number
  /** What was refused, by what was tried: name, code, status and charged of each error. */
  readonly refused: Record<string, readonly unknown[]>
  readonly credits: { spent: number; uncertain: number; reserved: number }
}

/**
 * Uses the service as a page without a key does, through a client of a proxy: a walk, a search that is not valid, one that
 * is not allowed, and one too many for the caller's budget.
 */
export async function usePage(client: SocialSearch): Promise<PageReport> {
  const ids: string[] = []
  for await (const { id } of client.microblog.search({ query: 'coffee' }, { maxPages: 3 })) ids.push(id)
  const { industries } = await client.professionalnet.industries.list({ q: 'soft' })
  const meet = async (call: PromiseLike<unknown>): Promise<readonly unknown[]> => {
    try {
      await call
      return []
    } catch (error) {
      const { name, code, status, charged } = error as Record<string, unknown>
      return [name, code, status ?? null, charged]
    }
  }
  const refused: PageReport['refused'] = {
    invalid: await meet(client.microblog.search({ query: '' })),
    disallowed: await meet(client.technews.search({ query: 'x' })),
  }
  while (client.credits.spent < 12) await client.microblog.search({ query: 'coffee' })
  refused['exhausted'] = await meet(client.microblog.search({ query: 'coffee' }))
  const { spent, uncertain, reserved } = client.credits
  return { ids, industries: industries.length, refused, credits: { spent, uncertain, reserved } }
}

/** What {@link usePage} meets wherever it runs, but for the ids. */
export const expectedReport = {
  refused: {
    invalid: ['InvalidRequestError', 'invalid_request', null, 'no'],
    disallowed: ['PermissionDeniedError', 'operation_not_allowed', 403, 'no'],
    exhausted: ['CreditBudgetError', 'credit_budget', null, 'no'],
  },
  credits: { spent: 12, uncertain: 0, reserved: 0 },
}

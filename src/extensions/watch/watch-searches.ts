import type { MicroblogPost } from '../../api/microblog.ts'
import type { ProfessionalnetPost } from '../../api/professionalnet/posts.ts'
import { assertObject } from '../../errors/check-options.ts'
import { searchOf, settingsOf } from './options.ts'
import { scheduled } from './schedule.ts'
import type { BatchOf, SearchToWatch, WatchClient, WatchSearchesOptions } from './types.ts'

/**
 * Watches many searches within one budget: looks at each for new posts, more often where more come, and yields those of
 * each page in a batch, each post at least once. With a budget that has a period, such as `new CreditBudget(200, { every:
 * 'day' })`, looks are spread over the period, and an empty budget is waited for. Without, each search is looked at every
 * `freshness`. What a budget, `maxPages` or an error leaves out is a gap in the state, which later looks fill. An error of
 * one search is in its batch; errors that no other search could escape are thrown.
 *
 * @param searches Params of each search under a name of yours; `network: 'professionalnet'` for that network.
 * @throws {ConfigurationError} for invalid options, or the state of another search.
 * @example
 * const searches = { acme: { query: 'acme' }, globex: { query: 'globex', network: 'professionalnet' } } as const
 * const budget = new CreditBudget(200, { every: 'day' })
 * const options = { budget, states: { acme: stored } }
 * for await (const { name, posts, state } of watchSearches(client, searches, options)) {}
 */
export async function* watchSearches<const Searches extends Readonly<Record<string, SearchToWatch>>>(
  client: WatchClient,
  searches: Searches,
  { states = {}, ...options }: WatchSearchesOptions = {},
): AsyncGenerator<BatchOf<Searches>, void, undefined> {
  assertObject('searches', searches)
  assertObject('states', states)
  const all = Object.entries(searches).map(([name, { network, ...params }]) => {
    const state = Object.hasOwn(states, name) ? states[name] : null
    const source = network === 'professionalnet' ? client.professionalnet?.posts : client.microblog
    return searchOf<MicroblogPost | ProfessionalnetPost>(name, source, params, state ?? null)
  })
  yield* scheduled(all, settingsOf(options)) as AsyncGenerator<BatchOf<Searches>, void, undefined>
}

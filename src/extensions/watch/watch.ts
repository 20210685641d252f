import type { MicroblogPost } from '../../api/endpoints/microblog.ts'
import type { ProfessionalnetPost } from '../../api/endpoints/professionalnet/posts.ts'
import { assertObject, describeWord, requireOption } from '../../errors/check-options.ts'
import { ConfigurationError } from '../../errors/index.ts'
import type { Microblog, Professionalnet } from '../../index.ts'
import { settingsOf } from './options.ts'
import { scheduled } from './run.ts'
import type {
  BatchOf,
  ProfessionalnetWatchParams,
  SearchToWatch,
  WatchBatch,
  WatchClient,
  WatchOptions,
  WatchParams,
  WatchSearchesOptions,
} from './types.ts'
import { WatchedSearch } from './watched-search.ts'

/**
 * Finds new posts of one search, like `watchSearches()`. With `once`, it throws the error of its check.
 *
 * @param source `client.microblog` or `client.professionalnet.posts`.
 * @throws {ConfigurationError} for invalid options, or the state of another search.
 * @throws the errors of a search, after it has yielded the pages before.
 * @example
 * const options = { once: true, state: stored, maxPages: 10 } as const
 * for await (const { posts, state } of watchSearch(client.microblog, { query }, options)) {}
 */
export function watchSearch(
  source: Microblog,
  params: WatchParams,
  options?: WatchOptions,
): AsyncGenerator<WatchBatch, void, undefined>
export function watchSearch(
  source: Professionalnet['posts'],
  params: ProfessionalnetWatchParams,
  options?: WatchOptions,
): AsyncGenerator<WatchBatch<ProfessionalnetPost>, void, undefined>
export async function* watchSearch(
  source: Microblog | Professionalnet['posts'],
  params: WatchParams | ProfessionalnetWatchParams,
  { state = null, ...options }: WatchOptions = {},
): AsyncGenerator<WatchBatch<MicroblogPost | ProfessionalnetPost>, void, undefined> {
  const settings = settingsOf(options)
  const search = new WatchedSearch<MicroblogPost | ProfessionalnetPost>('', source, params, state, settings)
  for await (const batch of scheduled([search], settings)) {
    yield batch
    if (options.once === true && batch.error !== null) throw batch.error
  }
}

/**
 * Finds new posts of many searches within one budget, and yields them page by page, each post at least once. It checks busy
 * searches more often. A budget that resets, such as `new CreditBudget(200, { every: 'day' })`, is spread over its
 * period. Without one, it checks each search every `minInterval`. If a check misses posts, a later one reads them. If one search
 * fails, its batch has the error and the others go on.
 *
 * @param searches Params of each search, by a name of yours; `network: 'professionalnet'` for that network.
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
  const settings = settingsOf(options)
  const all = Object.entries(searches).map(([name, search]) => {
    assertSearch(name, search)
    const { network, ...params } = search
    const state = Object.hasOwn(states, name) ? (states[name] ?? null) : null
    const source = network === 'professionalnet' ? client.professionalnet?.posts : client.microblog
    return new WatchedSearch<MicroblogPost | ProfessionalnetPost>(name, source, params, state, settings)
  })
  yield* scheduled(all, settings) as AsyncGenerator<BatchOf<Searches>, void, undefined>
}

/** A network that is misspelled in a list of searches would cost credits on the other one. @throws {ConfigurationError} */
function assertSearch(name: string, search: unknown): asserts search is SearchToWatch {
  const isObject = typeof search === 'object' && search !== null
  requireOption(search, isObject, `searches.${name} must be an object such as { query }`)
  const { network = 'microblog' } = search as { network?: unknown }
  if (network === 'microblog' || network === 'professionalnet') return
  const rule = `\`network\` of searches.${name} must be 'microblog' or 'professionalnet'`
  throw new ConfigurationError(`${rule}, got ${describeWord(network)}`)
}

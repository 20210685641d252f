import type { MicroblogPost } from '../../api/endpoints/microblog.ts'
import type { ProfessionalnetPost } from '../../api/endpoints/professionalnet/posts.ts'
import type { Microblog, Professionalnet } from '../../index.ts'
import { searchOf, settingsOf } from './options.ts'
import { scheduled } from './schedule.ts'
import type { ProfessionalnetWatchParams, WatchBatch, WatchOptions, WatchParams } from './types.ts'

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
  const search = searchOf<MicroblogPost | ProfessionalnetPost>('', source, params, state)
  for await (const batch of scheduled([search], settingsOf(options))) {
    yield batch
    if (options.once === true && batch.error !== null) throw batch.error
  }
}

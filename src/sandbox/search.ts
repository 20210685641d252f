import type { MicroblogCategory, MicroblogSearchParams } from '../api/microblog.ts'
import type { IndexedPost } from './index-post.ts'
import { compileFilters, hasPhotos, hasVideo } from './filters.ts'
import { pageOf } from './pages.ts'
import { containsAll } from './match-words.ts'
import { microblogPageSize } from '../api/limits.ts'
import type { Shelf } from './shelf.ts'

/** How each category selects and orders. The posts come newest first. */
const categories: Record<MicroblogCategory, { select: (post: IndexedPost) => boolean; byScore: boolean }> = {
  Top: { select: () => true, byScore: true },
  Latest: { select: () => true, byScore: false },
  People: { select: () => true, byScore: true },
  Photos: { select: hasPhotos, byScore: false },
  Videos: { select: hasVideo, byScore: false },
}

/**
 * Searches microblog posts. How the service matches and orders is not documented; these rules are the
 * sandbox's own: every word of the query must occur as a whole word in text, name or handle (with `People`, in
 * name or handle), in any case; `Top` (the default) and `People` come by engagement, the others newest first.
 *
 * The params are checked already. `corpusId` distinguishes cursors of other posts.
 */
export function searchMicroblog(
  shelf: Shelf<IndexedPost>,
  corpusId: string,
  { query, cursor, count = microblogPageSize, category = 'Top', filters = {} }: MicroblogSearchParams,
) {
  const { test, issues } = compileFilters(filters)
  const search = [corpusId, query, category, Object.entries(filters).sort(byKey)]
  const { select, byScore } = categories[category]
  const inAuthor = category === 'People' ? containsAll(query) : () => true
  const { page, meta } = pageOf({ cursor, count, search, issues, now: shelf.now() }, (moment) => {
    const found = shelf
      .find(query, moment)
      .filter((post) => select(post) && inAuthor(post.authorWords) && test(post))
    return byScore ? found.sort((a, b) => b.score - a.score) : found
  })
  return { posts: page.map(({ post }) => post), meta }
}

function byKey([a]: [string, unknown], [b]: [string, unknown]): number {
  return a < b ? -1 : 1
}

import { microblogPageSize } from '../../api/limits.ts'
import type { MicroblogFilters, MicroblogSearchParams } from '../../api/endpoints/microblog.ts'
import { compileFilters } from './filters.ts'
import { type IndexedPost, authorWordsOf } from './index-post.ts'
import { containsAll } from './match-words.ts'
import { type Slot, ranked } from './lists.ts'
import { type Moment, pageOf } from './pages.ts'
import { pageIn, requiredText } from './params.ts'
import type { PostStore } from './post-store.ts'

/** Filters that a category adds. */
const categoryFilters: Readonly<Record<string, MicroblogFilters>> = {
  Photos: { onlyPostsWithPhotos: true },
  Videos: { onlyPostsWithVideo: true },
}

/**
 * Searches microblog posts. How the service matches and orders is not documented; these rules are the
 * sandbox's own: every word of the query must occur as a whole word in text, name or handle (with `People`, in
 * name or handle), in any case; `Top` (the default) and `People` come by engagement, the others newest first.
 *
 * The params are checked already. `corpusId` distinguishes cursors of other posts.
 */
export function searchMicroblog(
  store: PostStore<IndexedPost>,
  corpusId: string,
  { query, cursor, count = microblogPageSize, category = 'Top', filters = {} }: MicroblogSearchParams,
) {
  const { since, until, test } = compileFilters({ ...filters, ...categoryFilters[category] })
  const search = [corpusId, query, category, Object.entries(filters).sort()]
  const inAuthor = containsAll(query)
  const request = { cursor, count, search, now: store.now() }
  const find = (moment: Moment) => store.find(query, moment, { since, until })
  const passes = ({ item }: Slot<IndexedPost>): boolean =>
    test(item) && (category !== 'People' || inAuthor(authorWordsOf(item.post)))
  const { page, meta } =
    category === 'Top' || category === 'People'
      ? pageOf(request, (moment) => ranked(find(moment), passes, scoreOf))
      : pageOf(request, find, passes)
  return { posts: page.map(({ item }) => item.post), meta }
}

/**
 * Searches stories and comments. Request and response are made up. It takes `query`, `cursor` and `count` up to 20, and
 * returns `posts` and the `meta` of the documented search by cursor.
 */
export function searchTechnews(store: PostStore<IndexedPost>, corpusId: string, input: unknown) {
  const query = requiredText(input, 'query')
  const search = ['technews', corpusId, query]
  const request = { ...pageIn(input, 20), search, now: store.now() }
  const { page, meta } = pageOf(request, (moment) => store.find(query, moment))
  return { posts: page.map(({ item }) => storyOf(item)), meta }
}

/** A microblog post in other fields. They are made up as well: the service documents none. */
function storyOf({ post }: IndexedPost) {
  const { id, body, author, timestamp, engagements } = post
  return {
    ...{ id, url: `https://technews.example/item/${id}`, author, timestamp },
    ...(body.startsWith('@') ? { type: 'comment', text: body } : { type: 'story', title: body }),
    points: engagements.favoriteCount,
  }
}

function scoreOf({ post: { engagements } }: IndexedPost): number {
  return engagements.favoriteCount + 2 * engagements.retweetCount + engagements.replyCount
}

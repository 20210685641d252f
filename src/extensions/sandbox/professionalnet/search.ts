import type {
  ProfessionalnetContentType,
  ProfessionalnetPostsSearchParams,
} from '../../../api/endpoints/professionalnet/posts.ts'
import { authors } from '../cast.ts'
import { handlesIn } from '../index-post.ts'
import { fold } from '../match-words.ts'
import { type Slot, ranked, take } from '../lists.ts'
import { isWithin } from './industries.ts'
import type { Network, NetworkPost } from './network.ts'

/** Posts on a full page. The service does not document how many it returns. */
const postsPageSize = 10

const contentTests: Record<ProfessionalnetContentType, (post: NetworkPost['post']) => boolean> = {
  photos: (post) => post.imageComponent !== undefined,
  videos: (post) => post.professionalnetVideoComponent !== undefined,
  liveVideos: (post) => post.professionalnetVideoComponent?.provider === 'live',
  collaborativeArticles: (post) => post.articleComponent !== undefined,
  documents: (post) => post.documentComponent !== undefined,
}

/**
 * Searches posts. How the service matches is not documented; these rules are the sandbox's own:
 *
 * - Every word of the query must occur as a whole word in the text or the author's name, in any case.
 * - Without `sort_by`, and with `recent`, the newest come first, otherwise those with the most engagement.
 * - `author_job_title` matches as a substring; `author_industry` also finds the industries below.
 * - Comma-separated lists ask for one of their items. People are named by URN or by the last part of it.
 * - Empty lists and blank texts ask for nothing, and `count` is ignored, as documented.
 */
export function searchPosts({ store, found: recall }: Network, params: ProfessionalnetPostsSearchParams) {
  const { query, page = 1, sort_by = 'recent' } = params
  const tests = testsOf(params)
  const passes = ({ item }: Slot<NetworkPost>): boolean => tests.every((test) => test(item))
  const all = store.find(query, store.now())
  const range = { from: (page - 1) * postsPageSize, count: postsPageSize }
  let found = all
  if (sort_by !== 'recent') found = ranked(all, passes, scoreOf)
  else if (tests.length > 0) found = take(all, { count: page * postsPageSize }, passes).items
  const posts = take(found, range).items.map(({ item }) => {
    recall.set(item.post.urn, item)
    return item.post
  })
  return { posts, meta: { returnedCount: posts.length, page } }
}

function scoreOf({ post }: NetworkPost): number {
  const { numLikes, numComments, numShares } = post.social_details
  return numLikes + 3 * numComments + 2 * numShares
}

function testsOf(params: ProfessionalnetPostsSearchParams): ((post: NetworkPost) => boolean)[] {
  const tests: ((post: NetworkPost) => boolean)[] = []
  const { content_type, author_industry = [] } = params

  const title = fold(params.author_job_title ?? '').trim()
  if (title !== '') tests.push(({ author }) => fold(author?.jobTitle ?? '').includes(title))
  if (content_type !== undefined) tests.push(({ post }) => contentTests[content_type](post))
  if (author_industry.length > 0)
    tests.push(({ author }) => author_industry.some((id) => isWithin(author?.company.industry ?? null, id)))

  oneOf(params.from_member, ({ author }) => [author?.profile.urn])
  oneOf(params.from_organization, ({ author }) => [author?.profile.urn])
  oneOf(params.author_company, ({ author }) => [author?.jobTitle ? author.company.id : undefined])
  const mentioned = ({ post }: NetworkPost) =>
    handlesIn(post.commentary).map((handle) => authors.get(handle)?.profile.urn)
  oneOf(params.mentions_member, mentioned)
  oneOf(params.mentions_organization, mentioned)
  return tests

  function oneOf(list = '', of: (post: NetworkPost) => readonly (string | undefined)[]): void {
    const wanted = new Set(list.split(',').map(lastPart).filter(Boolean))
    if (wanted.size > 0) tests.push((post) => of(post).some((item) => wanted.has(lastPart(item ?? ''))))
  }
}

/** The part after the last colon of a URN; an id without colons stays as it is. */
function lastPart(urn: string): string {
  return urn.trim().split(':').at(-1) ?? ''
}

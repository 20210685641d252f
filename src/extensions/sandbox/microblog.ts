import {
  microblogPageSize,
  type MicroblogEngagements,
  type MicroblogFilters,
  type MicroblogPost,
  type MicroblogSearchParams,
} from '../../api/endpoints/microblog.ts'
import { parseTime } from '../../lib/time.ts'
import { invalid, pageIn, pageOf, requiredText, take } from './answers.ts'
import { composePost, people, topicAbout, topics } from './compose-post.ts'
import { type Item, type Make, type PostStore, idAt, makeUp } from './post-store.ts'
import type { Random } from './random.ts'
import { containsPhrase, fold, handlesIn, normalize } from './words.ts'

/** A post, with data for searches that the service does not send. */
export interface IndexedPost extends Item {
  readonly post: MicroblogPost
  /** Primary language subtag. */
  readonly lang: string
}

export function indexPost(post: MicroblogPost, at: number, lang: string): IndexedPost {
  const { body, author, name } = post
  const words = [body, name, author, author.replaceAll('_', ' ')].map(normalize).join('\n')
  return { post, at, lang: primaryOf(lang), words }
}

/** The primary subtag of a language: `pt` of `pt-BR`. */
function primaryOf(lang: string): string {
  return fold(lang)
    .trim()
    .replace(/[-_].*$/, '')
}

export function pageOfPost(author: string, id: string): string {
  return `https://microblog.example/${author}/status/${id}`
}

/** Makes up a post or a reply. */
export const makePost: Make<IndexedPost> = (random, at, query) => {
  const { handle: author, name } = random.pick(people)
  const body = composePost(random, topicAbout(query) ?? random.pick(topics), 0.18)
  const id = idAt(random, at)
  const timestamp = new Date(at).toISOString()
  const url = pageOfPost(author, id)
  const post = { id, body, author, name, timestamp, url, ...media(random), engagements: engage(random) }
  return indexPost(post, at, 'en')
}

/** How microblog posts are made up. */
export const microblogPosts = makeUp('timeline', makePost)

/** How tech news are made up. */
export const technewsPosts = makeUp('technews', makePost)

function media(random: Random): { images: string[]; video: string | null } {
  const url = (file: string) => `https://media.microblog.example/${file.replace('*', random.hex(12))}`
  const count = random.chance(0.2) ? random.pick([1, 1, 1, 2, 2, 3, 4]) : 0
  return {
    images: Array.from({ length: count }, () => url('photo/*.jpg')),
    video: random.chance(0.06) ? url('video/*.mp4') : null,
  }
}

function engage(random: Random): MicroblogEngagements {
  const viewsCount = random.longTail(300) + random.integer(3, 40)
  const share = (of: number, max: number): number => Math.floor(of * max * random.next())
  const favoriteCount = share(viewsCount, 0.07)
  const retweetCount = share(favoriteCount, 0.3)
  return {
    bookmarkCount: share(favoriteCount, 0.25),
    favoriteCount,
    quoteCount: share(retweetCount, 0.3),
    replyCount: share(favoriteCount, 0.22),
    retweetCount,
    viewsCount,
  }
}

/** Filters that a category adds. */
const categoryFilters: Readonly<Record<string, MicroblogFilters>> = {
  Photos: { onlyPostsWithPhotos: true },
  Videos: { onlyPostsWithVideo: true },
}

/**
 * Searches microblog posts. How the service matches and orders is not documented; these rules are the
 * sandbox's own: every word of the query must occur as a whole word in text, name or handle, in any case; `Top` (the default)
 * and `People` come by engagement, the others newest first.
 *
 * The params are checked already.
 */
export function searchMicroblog(
  store: PostStore<IndexedPost>,
  { query, cursor, count = microblogPageSize, category = 'Top', filters = {} }: MicroblogSearchParams,
) {
  const test = compileFilters({ ...filters, ...categoryFilters[category] })
  const search = [store.seed, query, category, Object.entries(filters).sort()]
  const isRanked = category === 'Top' || category === 'People'
  const list = (at: number): Iterable<IndexedPost> => {
    const found = store.find(query, at)
    return isRanked ? take(found, test).sort((a, b) => scoreOf(b) - scoreOf(a)) : found
  }
  const { page, meta } = pageOf({ cursor, count, search, now: store.now() }, list, test)
  return { posts: page.map(({ post }) => post), meta }
}

/**
 * Searches stories and comments. Request and response are made up. It takes `query`, `cursor` and `count` up to 20, and
 * returns `posts` and the `meta` of the documented search by cursor.
 */
export function searchTechnews(store: PostStore<IndexedPost>, input: unknown) {
  const query = requiredText(input, 'query')
  const request = { ...pageIn(input, 20), search: ['technews', store.seed, query], now: store.now() }
  const { page, meta } = pageOf(request, (at) => store.find(query, at))
  return { posts: page.map(storyOf), meta }
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

type Test = (post: IndexedPost) => boolean

const hasLinks: Test = ({ post }) => linksIn(post.body).length > 0
const isReply: Test = ({ post }) => /^@\w/.test(post.body)
const hasVideo: Test = ({ post }) => post.video !== null
const hasPhotos: Test = ({ post }) => post.images.length > 0
const hasMedia: Test = (post) => hasPhotos(post) || hasVideo(post)

/** Tests of the paired `remove…` and `only…` filters. */
const traits = [
  ['removePostsWithLinks', 'onlyPostsWithLinks', hasLinks],
  ['removeReplies', 'onlyReplies', isReply],
  ['removePostsWithMedia', 'onlyPostsWithMedia', hasMedia],
  ['removePostsWithVideo', 'onlyPostsWithVideo', hasVideo],
  ['removePostsWithPhotos', 'onlyPostsWithPhotos', hasPhotos],
] as const

/**
 * Turns filters into one test. How the service matches is not documented; these rules are the sandbox's own:
 *
 * - `since` is included, `until` is not; a time without a zone is UTC.
 * - `lang` compares the primary subtag: `pt-BR` finds `pt`.
 * - `hashtags`, the account lists and `anyOfTheseWords` ask for at least one of their items.
 * - Words match whole words in text, name and handle; an item of several words matches them as a phrase.
 * - `exactSentence` and `linksInclude` match as substrings, of the text and of a link. Case never matters.
 * - Empty lists and blank strings ask for nothing, except as times, which are refused.
 * - `geocode` and `radius` are accepted and have no effect: the made-up posts have no place.
 *
 * @throws {SandboxError} for an invalid time.
 */
function compileFilters(filters: MicroblogFilters) {
  const tests: Test[] = []
  const since = timeBound('since', -Infinity)
  const until = timeBound('until', Infinity)
  tests.push(({ at }) => since <= at && at < until)

  const lang = primaryOf(filters.lang ?? '')
  if (lang !== '') tests.push((post) => post.lang === lang)

  const sentence = fold(filters.exactSentence ?? '').trim()
  if (sentence !== '') tests.push(({ post }) => fold(post.body).includes(sentence))

  const link = fold(filters.linksInclude ?? '').trim()
  if (link !== '') tests.push(({ post }) => linksIn(post.body).some((url) => fold(url).includes(link)))

  const any = present(filters.anyOfTheseWords).map(containsPhrase)
  if (any.length > 0) tests.push(({ words }) => any.some((contains) => contains(words)))

  const none = present(filters.noneOfTheseWords).map(containsPhrase)
  tests.push(({ words }) => !none.some((contains) => contains(words)))

  oneOf(filters.hashtags, hashtagsIn)
  oneOf(filters.fromTheseAccounts, (_, author) => [author.toLowerCase()])
  oneOf(filters.toTheseAccounts, (body) => handlesIn(/^@\w+/.exec(body)?.[0] ?? ''))
  oneOf(filters.mentionsTheseAccounts, handlesIn)

  for (const [remove, only, has] of traits) {
    if (filters[remove] === true) tests.push((post) => !has(post))
    if (filters[only] === true) tests.push(has)
  }

  const { minimumRepliesCount = 0, minimumRetweetsCount = 0, minimumLikesCount = 0 } = filters
  tests.push(
    ({ post: { engagements } }) =>
      engagements.replyCount >= minimumRepliesCount &&
      engagements.retweetCount >= minimumRetweetsCount &&
      engagements.favoriteCount >= minimumLikesCount,
  )
  return (post: IndexedPost): boolean => tests.every((test) => test(post))

  function timeBound(name: 'since' | 'until', usual: number): number {
    const value = filters[name]?.trim()
    if (value === undefined) return usual
    const time = parseTime(value)
    if (!Number.isNaN(time)) return time
    throw invalid([{ path: `filters.${name}`, message: 'must be an ISO 8601 date or time' }])
  }

  function oneOf(
    wanted: readonly string[] | undefined,
    of: (body: string, author: string) => readonly string[],
  ): void {
    const set = new Set(present(wanted).map((item) => fold(item).trim().replace(/^@/, '')))
    if (set.size > 0) tests.push(({ post }) => of(post.body, post.author).some((item) => set.has(item)))
  }
}

function linksIn(text: string): string[] {
  return Array.from(text.matchAll(/https?:\/\/\S+/g), ([link]) => link)
}

function hashtagsIn(text: string): string[] {
  return Array.from(text.matchAll(/#([\p{L}\p{M}\p{N}_]+)/gu), ([, tag = '']) => tag.toLowerCase())
}

function present(items: readonly string[] = []): string[] {
  return items.filter((item) => item.trim() !== '')
}

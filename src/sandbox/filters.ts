import type { Issue } from '../api/issues.ts'
import type { MicroblogFilters } from '../api/microblog.ts'
import type { IndexedPost } from './index-post.ts'
import { containsPhrase, fold } from './match-words.ts'

type Test = (post: IndexedPost) => boolean

/** ISO 8601, a date alone or with a time; other forms are read differently by different engines. */
const isoPattern = /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/

/** Tests of the paired `remove…` and `only…` filters. */
const traits: readonly (readonly [
  remove: keyof MicroblogFilters,
  only: keyof MicroblogFilters,
  has: Test,
])[] = [
  ['removePostsWithLinks', 'onlyPostsWithLinks', (post) => post.links.length > 0],
  ['removeReplies', 'onlyReplies', (post) => post.replyTo !== null],
  ['removePostsWithMedia', 'onlyPostsWithMedia', (post) => hasPhotos(post) || hasVideo(post)],
  ['removePostsWithVideo', 'onlyPostsWithVideo', hasVideo],
  ['removePostsWithPhotos', 'onlyPostsWithPhotos', hasPhotos],
]

export function hasPhotos({ post }: IndexedPost): boolean {
  return post.images.length > 0
}

export function hasVideo({ post }: IndexedPost): boolean {
  return post.video !== null
}

/**
 * Turns filters into one test. How the service matches is not documented; these rules are the sandbox's own:
 *
 * - `since` is included, `until` is not; a time without a zone is UTC.
 * - `lang` compares the primary subtag: `pt-BR` finds `pt`.
 * - `hashtags`, the account lists and `anyOfTheseWords` ask for at least one of their items.
 * - Words match whole words in text, name and handle; an item of several words matches them as a phrase.
 * - `exactSentence` and `linksInclude` match as substrings, of the text and of a link. Case never matters.
 * - Empty lists and blank strings ask for nothing.
 * - `geocode` and `radius` are accepted and have no effect: the made-up posts have no place.
 */
export function compileFilters(filters: MicroblogFilters): { test: Test; issues: Issue[] } {
  const tests: Test[] = []
  const issues: Issue[] = []

  timeBound('since', (bound) => (post) => post.at >= bound)
  timeBound('until', (bound) => (post) => post.at < bound)

  const lang =
    fold(filters.lang ?? '')
      .trim()
      .split(/[-_]/)[0] ?? ''
  if (lang !== '') tests.push((post) => post.lang === lang)

  const sentence = fold(filters.exactSentence ?? '').trim()
  if (sentence !== '') tests.push((post) => fold(post.post.body).includes(sentence))

  const link = fold(filters.linksInclude ?? '').trim()
  if (link !== '') tests.push((post) => post.links.some((url) => fold(url).includes(link)))

  const any = present(filters.anyOfTheseWords).map(containsPhrase)
  if (any.length > 0) tests.push((post) => any.some((contains) => contains(post.words)))

  const none = present(filters.noneOfTheseWords).map(containsPhrase)
  if (none.length > 0) tests.push((post) => !none.some((contains) => contains(post.words)))

  oneOf(filters.hashtags, (post) => post.hashtags)
  oneOf(filters.fromTheseAccounts, (post) => [post.post.author.toLowerCase()])
  oneOf(filters.toTheseAccounts, (post) => (post.replyTo === null ? [] : [post.replyTo]))
  oneOf(filters.mentionsTheseAccounts, (post) => post.mentions)

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

  return { test: (post) => tests.every((test) => test(post)), issues }

  function timeBound(name: 'since' | 'until', within: (bound: number) => Test): void {
    const value = filters[name]
    if (value === undefined) return
    const bound = parseTime(value)
    if (bound === null) issues.push({ path: `filters.${name}`, message: 'must be an ISO 8601 date or time' })
    else tests.push(within(bound))
  }

  function oneOf(wanted: readonly string[] | undefined, of: (post: IndexedPost) => readonly string[]): void {
    const set = new Set(present(wanted).map((item) => fold(item).trim().replace(/^[@#]/, '')))
    if (set.size > 0) tests.push((post) => of(post).some((item) => set.has(item)))
  }
}

function parseTime(value: string): number | null {
  const match = isoPattern.exec(value.trim())
  if (match === null) return null
  const isLocal = value.includes('T') && match[1] === undefined
  const time = Date.parse(isLocal ? `${value.trim()}Z` : value.trim())
  return Number.isNaN(time) ? null : time
}

function present(items: readonly string[] = []): string[] {
  return items.filter((item) => item.trim() !== '')
}

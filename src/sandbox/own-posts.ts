import { type MicroblogPost, microblogSearch } from '../contract/microblog.ts'
import { validate } from '../contract/validate.ts'
import { type IndexedPost, newest } from './corpus.ts'
import { normalize } from './match-words.ts'
import type { SandboxPost } from './types.ts'

const noEngagements = {
  ...{ bookmarkCount: 0, favoriteCount: 0, quoteCount: 0 },
  ...{ replyCount: 0, retweetCount: 0, viewsCount: 0 },
}

/**
 * Completes posts that a test brings, newest first. A post without a timestamp is a minute older than the one before it.
 *
 * @throws {TypeError} for a post that the service would not send.
 */
export function indexPosts(posts: readonly SandboxPost[]): IndexedPost[] {
  return posts.map(complete).sort((a, b) => b.at - a.at)
}

function complete(given: SandboxPost, index: number): IndexedPost {
  const id = given.id ?? String(index + 1)
  const { author = 'ada', timestamp = new Date(newest - 60_000 * index).toISOString() } = given
  const url = `https://microblog.example/${author}/status/${id}`
  const post: MicroblogPost = {
    ...{ name: author, url, images: [], video: null, ...given, id, author, timestamp },
    engagements: { ...noEngagements, ...given.engagements },
  }
  const [issue] = validate(microblogSearch.response.properties?.['posts']?.items ?? {}, post)
  if (issue !== undefined)
    throw new TypeError(`createSandbox() option content.microblog[${index}]: ${issue.path} ${issue.message}`)
  const at = Date.parse(timestamp)
  if (Number.isNaN(at))
    throw new TypeError(`createSandbox() option content.microblog[${index}]: timestamp must be a time`)
  const found = (pattern: RegExp): string[] =>
    Array.from(post.body.matchAll(pattern), ([, text = '']) => text.toLowerCase())
  const { favoriteCount, retweetCount, replyCount } = post.engagements
  const authorWords = normalize(`${post.name}\n${author}\n${author.replaceAll('_', ' ')}`)
  return {
    post,
    at,
    lang: 'en',
    replyTo: /^@(\w+)/.exec(post.body)?.[1]?.toLowerCase() ?? null,
    mentions: found(/@(\w+)/g),
    hashtags: found(/#([\p{L}\p{M}\p{N}_]+)/gu),
    links: Array.from(post.body.matchAll(/https?:\/\/\S+/g), ([link]) => link),
    words: `${normalize(post.body)}\n${authorWords}`,
    authorWords,
    score: favoriteCount + 2 * retweetCount + replyCount,
  }
}

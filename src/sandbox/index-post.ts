import type { MicroblogPost } from '../api/microblog.ts'
import { normalize } from './match-words.ts'

/** A post, with data for searches that the service does not send. */
export interface IndexedPost {
  readonly post: MicroblogPost
  /** Time of the post, in milliseconds since 1970. */
  readonly at: number
  /** Primary language subtag. */
  readonly lang: string
  /** Handle that the post replies to, in lower case. */
  readonly replyTo: string | null
  /** Handles in the text, in lower case. */
  readonly mentions: readonly string[]
  /** Without `#`, in lower case. */
  readonly hashtags: readonly string[]
  /** URLs in the text. */
  readonly links: readonly string[]
  /** Words of text and author, as {@link normalize} makes them. */
  readonly words: string
  /** Words of the author's name and handle. */
  readonly authorWords: string
  /** Rank in the category Top. */
  readonly score: number
}

/** @param lang Primary language subtag. */
export function indexPost(post: MicroblogPost, at: number, lang: string): IndexedPost {
  const { body, author, name, engagements } = post
  const authorWords = normalize(`${name}\n${author}\n${author.replaceAll('_', ' ')}`)
  return {
    post,
    at,
    lang,
    replyTo: /^@(\w+)/.exec(body)?.[1]?.toLowerCase() ?? null,
    mentions: handlesIn(body),
    hashtags: Array.from(body.matchAll(/#([\p{L}\p{M}\p{N}_]+)/gu), ([, tag = '']) => tag.toLowerCase()),
    links: linksIn(body),
    words: `${normalize(body)}\n${authorWords}`,
    authorWords,
    score: engagements.favoriteCount + 2 * engagements.retweetCount + engagements.replyCount,
  }
}

/** The handles that a text mentions, in lower case. */
export function handlesIn(text: string): string[] {
  return Array.from(text.matchAll(/@(\w+)/g), ([, handle = '']) => handle.toLowerCase())
}

export function linksIn(text: string): string[] {
  return Array.from(text.matchAll(/https?:\/\/\S+/g), ([link]) => link)
}

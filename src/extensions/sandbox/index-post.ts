import type { MicroblogPost } from '../../api/endpoints/microblog.ts'
import { fold, normalize } from './match-words.ts'

/** A post, with data for searches that the service does not send. */
export interface IndexedPost {
  readonly post: MicroblogPost
  /** Time of the post, in milliseconds since 1970. */
  readonly at: number
  /** Primary language subtag. */
  readonly lang: string
  /** Words of text and author, as {@link normalize} makes them. */
  readonly words: string
}

export function indexPost(post: MicroblogPost, at: number, lang: string): IndexedPost {
  return { post, at, lang: primaryOf(lang), words: `${normalize(post.body)}\n${authorWordsOf(post)}` }
}

/** The primary subtag of a language: `pt` of `pt-BR`. */
export function primaryOf(lang: string): string {
  return fold(lang)
    .trim()
    .replace(/[-_].*$/, '')
}

/** Words of the author's name and handle. */
export function authorWordsOf({ author, name }: MicroblogPost): string {
  return normalize(`${name}\n${author}\n${author.replaceAll('_', ' ')}`)
}

export function pageOfPost(author: string, id: string): string {
  return `https://microblog.example/${author}/status/${id}`
}

/** The handles that a text mentions, in lower case. */
export function handlesIn(text: string): string[] {
  return Array.from(text.matchAll(/@(\w+)/g), ([, handle = '']) => handle.toLowerCase())
}

export function linksIn(text: string): string[] {
  return Array.from(text.matchAll(/https?:\/\/\S+/g), ([link]) => link)
}

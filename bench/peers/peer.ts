import type { MicroblogPost, MicroblogSearchBody } from 'social-search-sdk'

export interface SearchParams {
  query: string
  cursor?: string
}

export interface PeerOptions {
  /** Ends in `/v1`. */
  baseUrl: string
  apiKey: string
  /** Answers in place of the network. */
  fetch: typeof fetch | undefined
}

/** One way to search, set up once as its users would. */
export interface Peer {
  search(params: SearchParams, signal?: AbortSignal): PromiseLike<MicroblogSearchBody>
  /** All items, if it pages by itself. */
  walk?(params: SearchParams): AsyncIterable<MicroblogPost>
}

/** What each file of this folder exports as `create`. */
export type CreatePeer = (options: PeerOptions) => Peer

export const path = '/data/microblog/tweets/search'

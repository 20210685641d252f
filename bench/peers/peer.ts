import type { MicroblogPost, MicroblogSearchBody } from '../../src/api/endpoints/microblog.ts'

export interface SearchParams {
  query: string
  cursor?: string
}

export interface PeerOptions {
  /** Base URL, ending in `/v1`. */
  baseUrl: string
  apiKey: string
  /** Responds instead of the network. */
  fetch: typeof fetch | undefined
}

/** A way to search, set up once as its users would. */
export interface Peer {
  search(params: SearchParams, signal?: AbortSignal): PromiseLike<MicroblogSearchBody>
  /** All items, if the client has paging. */
  walk?(params: SearchParams): AsyncIterable<MicroblogPost>
}

/** The export `create` of each file in this folder. */
export type CreatePeer = (options: PeerOptions) => Peer

export const path = '/data/microblog/tweets/search'

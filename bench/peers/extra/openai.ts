import OpenAI from 'openai'
import type { MicroblogSearchBody } from 'social-search-sdk'
import { type CreatePeer, path } from '../peer.ts'

/** Its own carrier, at another service's path; it retries, and checks nothing. */
export const create: CreatePeer = ({ baseUrl, apiKey, fetch }) => {
  const client = new OpenAI({ baseURL: baseUrl, apiKey, ...(fetch && { fetch }) })
  return {
    search: (body, signal) => client.post<MicroblogSearchBody>(path, { body, signal: signal ?? null }),
  }
}

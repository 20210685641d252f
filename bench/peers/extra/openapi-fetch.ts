import createClient from 'openapi-fetch'
import type { MicroblogSearchBody } from 'social-search-sdk'
import { type CreatePeer, type SearchParams, path } from '../peer.ts'

/** In the form that openapi-typescript writes. */
interface Paths {
  [path]: {
    post: {
      requestBody: { content: { 'application/json': SearchParams } }
      responses: { 200: { content: { 'application/json': MicroblogSearchBody } } }
    }
  }
}

export const create: CreatePeer = ({ baseUrl, apiKey, fetch }) => {
  const client = createClient<Paths>({
    baseUrl,
    headers: { authorization: `Bearer ${apiKey}` },
    ...(fetch && { fetch }),
  })
  return {
    async search(body, signal) {
      const { data } = await client.POST(path, { body, signal: signal ?? null })
      if (data === undefined) throw new Error('the search failed')
      return data
    },
  }
}

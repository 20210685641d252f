import type { MicroblogSearchBody } from 'social-search-sdk'
import { createClient } from '../../.out/hey-api-mini/client/index.ts'
import { microblogSearch } from '../../.out/hey-api-mini/sdk.gen.ts'
import type { CreatePeer } from '../peer.ts'

/** As its generator writes it when asked for zod/mini. */
export const create: CreatePeer = ({ baseUrl, apiKey, fetch }) => {
  const client = createClient({ baseUrl, auth: apiKey, ...(fetch && { fetch }) })
  return {
    async search(body, signal) {
      const { data } = await microblogSearch({ client, body, throwOnError: true, signal: signal ?? null })
      return data as MicroblogSearchBody
    },
  }
}

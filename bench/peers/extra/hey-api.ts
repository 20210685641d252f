import type { MicroblogSearchBody } from 'social-search-sdk'
import { createClient } from '../../.out/hey-api/client/index.ts'
import { microblogSearch } from '../../.out/hey-api/sdk.gen.ts'
import type { CreatePeer } from '../peer.ts'

/** As its generator writes it from the service's description: zod checks both requests and answers. */
export const create: CreatePeer = ({ baseUrl, apiKey, fetch }) => {
  const client = createClient({ baseUrl, auth: apiKey, ...(fetch && { fetch }) })
  return {
    async search(body, signal) {
      const { data } = await microblogSearch({ client, body, throwOnError: true, signal: signal ?? null })
      return data as MicroblogSearchBody
    },
  }
}

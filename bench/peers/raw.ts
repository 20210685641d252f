import { type CreatePeer, path } from './peer.ts'
import type { MicroblogSearchBody } from '../../src/api/endpoints/microblog.ts'

/** The minimum for a search: no checks, retries or limits. */
export const create: CreatePeer = ({ baseUrl, apiKey, fetch = globalThis.fetch }) => {
  const headers = { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' }
  return {
    async search(params, signal) {
      const body = JSON.stringify(params)
      const response = await fetch(baseUrl + path, { method: 'POST', headers, body, signal: signal ?? null })
      return JSON.parse(await response.text()) as MicroblogSearchBody
    },
  }
}

import { createTransport, microblog } from 'social-search-sdk'
import { limits, nextOrganization } from './ours-options.ts'
import type { CreatePeer } from './peer.ts'

/** One search, with nothing else in its bundle. */
export const create: CreatePeer = ({ baseUrl, apiKey, fetch }) => {
  const transport = createTransport({ baseUrl, apiKey, fetch, limits, organization: nextOrganization() })
  const network = microblog(transport)
  return { search: (params, signal) => network.search(params, { signal }) }
}

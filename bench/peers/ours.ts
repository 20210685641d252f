import { SocialSearch } from 'social-search-sdk'
import { limits, nextOrganization } from './ours-options.ts'
import type { CreatePeer } from './peer.ts'

/** The whole client. */
export const create: CreatePeer = ({ baseUrl, apiKey, fetch }) => {
  const client = new SocialSearch({ baseUrl, apiKey, fetch, limits, organization: nextOrganization() })
  return {
    search: (params, signal) => client.microblog.search(params, signal && { signal }),
    walk: (params) => client.microblog.search(params),
  }
}

import { Octokit } from '@octokit/core'
import type { MicroblogSearchBody } from 'social-search-sdk'
import { type CreatePeer, path } from '../peer.ts'

/** Its own carrier, at another service's path; without plugins it neither retries nor checks. */
export const create: CreatePeer = ({ baseUrl, apiKey, fetch }) => {
  const octokit = new Octokit({ baseUrl, auth: apiKey, request: fetch && { fetch } })
  return {
    async search(params, signal) {
      const { data } = await octokit.request(`POST ${path}`, { ...params, request: { signal } })
      return data as MicroblogSearchBody
    },
  }
}

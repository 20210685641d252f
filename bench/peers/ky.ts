import ky from 'ky'
import { type CreatePeer, path } from './peer.ts'

export const create: CreatePeer = ({ baseUrl, apiKey, fetch }) => {
  const api = ky.create({
    prefix: baseUrl,
    headers: { authorization: `Bearer ${apiKey}` },
    ...(fetch && { fetch }),
  })
  return { search: (json, signal) => api.post(path, { json, ...(signal && { signal }) }).json() }
}

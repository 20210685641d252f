/**
 * Responds to every search with twenty posts. A query `pages 12` makes a walk of twelve pages; other searches have one.
 */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { MicroblogSearchBody } from '../../src/api/endpoints/microblog.ts'
import type { SearchParams } from '../peers/peer.ts'
import { readPage, tell } from './set-up.ts'

const { requestId, posts } = JSON.parse(readPage()) as MicroblogSearchBody
const before = `${JSON.stringify({ requestId, posts }).slice(0, -1)},"meta":`

function answer({ query, cursor = '1' }: SearchParams): string {
  const pages = Number(/^pages (\d+)$/.exec(query)?.[1] ?? 1)
  const hasMore = Number(cursor) < pages
  const meta = {
    returnedCount: posts.length,
    hasMore,
    ...(hasMore && { nextCursor: String(Number(cursor) + 1) }),
  }
  return `${before}${JSON.stringify(meta)}}`
}

const server = createServer((request, response) => {
  let body = ''
  request.setEncoding('utf8').on('data', (part: string) => (body += part))
  request.on('end', () => {
    const text = answer(JSON.parse(body) as SearchParams)
    response.setHeader('content-type', 'application/json')
    response.setHeader('content-length', Buffer.byteLength(text))
    response.end(text)
  })
})
// Contestants pause during the others' turns, and must not have to reconnect.
server.keepAliveTimeout = 600_000
server.listen(0, '127.0.0.1', () => tell({ port: (server.address() as AddressInfo).port }))

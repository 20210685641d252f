/** Plays the service for `memory.ts`, over IPC: says its port at first, and what it has charged whenever it is asked. */
import { type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { microblogSearch } from '../../../src/api/microblog.ts'
import { page } from '../../support/pages.ts'
import { createDraw, outcomeOf } from './outcomes.ts'

const { credits } = microblogSearch.price
const draw = createDraw(2)
const success = JSON.stringify(page(['1', '2', '3']))
const wrongShape = JSON.stringify({ ...page([]), posts: [{ id: 1 }] })
let charged = 0
let foreign = 0

const server = createServer((request, response) => {
  request.resume()
  request.on('end', () => answer(response))
  response.on('error', () => {})
})

function answer(response: ServerResponse): void {
  const outcome = outcomeOf(draw())
  switch (outcome) {
    case 'success':
      succeed(response, success)
      break
    case 'notJson':
      succeed(response, '<html>')
      break
    case 'wrongShape':
      succeed(response, wrongShape)
      break
    case 'rateLimited':
      fail(response, 429, 'rate_limited', 0)
      break
    case 'closed':
      fail(response, 429, 'rate_limited', 1)
      break
    case 'unavailable':
      fail(response, 503, 'professionalnet_unavailable', 0)
      break
    case 'upstream':
      fail(response, 502, 'upstream_error')
      break
    case 'foreign':
      if (foreign++ % 2 === 0) charged += credits
      response.writeHead(500, { 'content-type': 'text/html' }).end('<html>')
      break
    case 'resetBefore':
      response.socket?.resetAndDestroy()
      break
    case 'resetAfter':
      charged += credits
      response.socket?.resetAndDestroy()
      break
    case 'truncated':
      charged += credits
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': success.length })
      response.write(success.slice(0, 50), () => response.destroy())
      break
    case 'stalled':
      charged += credits
  }
}

function succeed(response: ServerResponse, body: string): void {
  charged += credits
  response.writeHead(200, { 'content-type': 'application/json' }).end(body)
}

function fail(response: ServerResponse, status: number, code: string, retryAfter?: number): void {
  const body = { requestId: 'req_soak', error: { code, retryAfter } }
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
}

process.on('message', () => process.send?.(charged))
process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))

/** Plays the service over real sockets, in another process: now and then it resets, cuts, stalls or refuses. Says its port. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRandom } from '../../src/extensions/sandbox/random.ts'
import { page } from '../support/pages.ts'

const random = createRandom('memory server')
const good = JSON.stringify(page(['1', '2', '3']))
const refusal = (code: string, retryAfter: number) =>
  JSON.stringify({ requestId: 'req_soak', error: { code, retryAfter } })

const server = createServer((request, response) => {
  response.on('error', () => {})
  request.resume()
  request.on('end', () => {
    const answer = (status: number, body: string): void => void response.writeHead(status).end(body)
    const mishaps = [
      () => answer(429, refusal('rate_limited', random.chance(0.1) ? 1 : 0)),
      () => answer(503, refusal('professionalnet_unavailable', 0)),
      () => answer(502, '<h1>Bad gateway</h1>'),
      () => answer(200, '<h1>Welcome</h1>'),
      () => answer(200, '{"requestId":"r","posts":"none"}'),
      () => response.socket?.resetAndDestroy(),
      () => {
        response.writeHead(200, { 'content-length': good.length }).write(good.slice(0, 50))
        setTimeout(() => response.destroy(), 5)
      },
      // Seldom: the client's timeout ends it.
      () => (random.chance(0.1) ? undefined : answer(200, good)),
    ]
    if (random.chance(0.05)) random.pick(mishaps)()
    else answer(200, good)
  })
})
process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))

/**
 * Plays the service over real sockets in another process: resets, truncates, stalls, and keeps the ledger. Says its
 * port at first, and what it has seen when it is asked.
 */
import { type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRandom } from '../../../src/extensions/sandbox/random.ts'
import type { Play } from '../misfortune/answers.ts'
import { callHeader } from '../misfortune/network.ts'
import { soakOperations } from '../misfortune/operations.ts'
import { drawFew } from './few-mishaps.ts'
import type { Report } from './start-server.ts'

const [, , seed] = process.argv
const counts = new Map<string, number>()
let charged = 0

const server = createServer((request, response) => {
  const { [callHeader]: id = '' } = request.headers as Record<string, string>
  response.on('error', () => {})
  request.resume()
  request.on('end', () => {
    const count = (counts.get(id) ?? 0) + 1
    counts.set(id, count)
    const path = (request.url ?? '').replace(/^\/v1/, '').replace(/\?.*/, '')
    const operation = soakOperations.find((each) => each.path === path && each.method === request.method)
    if (operation === undefined) throw new Error(`no operation at ${request.method} ${path}`)
    const random = createRandom(`${seed}/${id}/${count}`)
    const secret = (request.headers.authorization ?? '').replace('Bearer ', '')
    const play = drawFew(random)({ operation, id, page: 1, pages: 1, secret, random })
    charged += play.charge
    perform(response, play, random.integer(0, 3))
  })
})

function perform(response: ServerResponse, { answer, end, repeat = 1 }: Play, part: number): void {
  const { socket } = response
  if (answer === undefined) {
    if (end !== 'stall') socket?.resetAndDestroy()
    return
  }
  const { status, headers, body } = answer
  const whole = Buffer.from(body ?? '')
  const bytes = end === undefined ? whole : whole.subarray(0, Math.floor((whole.length * part) / 4))
  const length = body === null ? [] : [['content-length', String(whole.length * repeat)]]
  response.writeHead(status, [...headers, ...length].flat())
  for (let time = 0; time < repeat && bytes.length > 0; time++) response.write(bytes)
  if (end === undefined) response.end()
  else if (end === 'reset') setTimeout(() => socket?.resetAndDestroy(), 5)
  else if (end === 'cut') setTimeout(() => response.destroy(), 5)
}

process.on('message', () => process.send?.({ charged } satisfies Report))
process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))

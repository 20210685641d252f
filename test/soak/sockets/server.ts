/**
 * Plays the service over real sockets in another process: resets, truncates, stalls, and keeps the ledger. Says its
 * port at first, and what it has seen when it is asked.
 */
import { type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRandom } from '../../../src/extensions/sandbox/random.ts'
import type { Play } from '../misfortune/answers.ts'
import { drawMishap } from '../misfortune/mishaps.ts'
import { callHeader } from '../misfortune/network.ts'
import { soakOperations } from '../misfortune/operations.ts'
import { drawFew } from './few-mishaps.ts'
import { clientHeader, type Report, type Visit } from './start-server.ts'

const [, , mishaps, seed] = process.argv
const visits: Visit[] = []
const counts = new Map<string, number>()
const open = new Map<string, Set<ServerResponse>>()
let charged = 0
let mostInFlight = 0

const server = createServer((request, response) => {
  const { [callHeader]: id = '', [clientHeader]: client } = request.headers as Record<string, string>
  const held = open.get(String(client)) ?? new Set()
  open.set(String(client), held.add(response))
  response.on('close', () => held.delete(response))
  response.on('error', () => {})
  // What the client has closed before may be noticed in the same turn.
  setImmediate(() => setImmediate(() => (mostInFlight = Math.max(mostInFlight, held.size))))
  request.resume()
  request.on('end', () => {
    const count = (counts.get(id) ?? 0) + 1
    counts.set(id, count)
    const path = (request.url ?? '').replace(/^\/v1/, '').replace(/\?.*/, '')
    const operation = soakOperations.find((each) => each.path === path && each.method === request.method)
    if (operation === undefined) throw new Error(`no operation at ${request.method} ${path}`)
    const random = createRandom(`${seed}/${id}/${count}`)
    const secret = (request.headers.authorization ?? '').replace('Bearer ', '')
    const draw = mishaps === 'few' ? drawFew(random) : drawMishap(random, 0.4).play
    const play = draw({ operation, id, page: 1, pages: 1, secret, random })
    charged += play.charge
    // Calls without a name are too many to keep.
    if (id !== '') visits.push({ id, charged: play.charge, mayRepeat: play.isRefusal === true })
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

process.on('message', () => process.send?.({ charged, visits, mostInFlight } satisfies Report))
process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))

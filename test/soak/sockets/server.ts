/**
 * Plays the service for `sockets.ts`, over real sockets in a process of its own: resets, truncates, stalls, and keeps
 * the ledger. Says its port at first, and what it has charged when it is asked.
 */
import { type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createRandom } from '../../../src/sandbox/random.ts'
import type { Play } from '../misfortune/answers.ts'
import { drawMishap } from '../misfortune/mishaps.ts'
import { soakOperations } from '../misfortune/operations.ts'
import { clientHeader, type Report, type Visit } from './report.ts'
import { callHeader } from '../misfortune/network.ts'

const seed = process.argv[2] ?? '1'
const visits: Visit[] = []
const counts = new Map<string, number>()
const open = new Map<string, Set<ServerResponse>>()
let mostInFlight = 0

const server = createServer((request, response) => {
  const id = String(request.headers[callHeader])
  const client = String(request.headers[clientHeader])
  const held = open.get(client) ?? new Set()
  open.set(client, held.add(response))
  response.on('close', () => held.delete(response))
  response.on('error', () => {})
  // What the client has closed before may be noticed in the same turn.
  setImmediate(() => setImmediate(() => (mostInFlight = Math.max(mostInFlight, held.size))))
  request.resume()
  request.on('end', () => {
    const count = (counts.get(id) ?? 0) + 1
    counts.set(id, count)
    const path = (request.url ?? '').replace(/^\/v1/, '').replace(/\?.*/, '')
    const operation = soakOperations.find((each) => each.path.test(path) && each.method === request.method)
    const random = createRandom(`${seed}/${id}/${count}`)
    const mishap = drawMishap(random, 0.4)
    const secret = (request.headers.authorization ?? '').replace('Bearer ', '')
    if (operation === undefined) throw new Error(`no operation at ${request.method} ${path}`)
    const play = mishap.play({ operation, id, page: 1, pages: 1, secret, random })
    visits.push({ id, charged: play.charge, mayRepeat: play.isRefusal === true })
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

process.on('message', () => process.send?.({ visits, mostInFlight } satisfies Report))
process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port))

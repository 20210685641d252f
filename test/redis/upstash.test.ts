import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo } from 'node:net'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { SharedLimiter } from '../../src/shared/index.ts'
import { documentedStore } from '../docs/stores.ts'
import { storeContract } from '../shared/store-contract.ts'
import { admin } from './workers.ts'

const token = 'token'
/** The REST interface of Upstash, before the Redis server of the tests. */
const rest = createServer((request, response) => {
  const chunks: Buffer[] = []
  request.on('data', (chunk: Buffer) => chunks.push(chunk))
  request.on('end', () => {
    const answer = (status: number, body: object) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))
    const [command = '', ...args] = JSON.parse(Buffer.concat(chunks).toString()) as string[]
    if (request.headers.authorization !== `Bearer ${token}`) answer(401, { error: 'Unauthorized' })
    else
      admin.call(command, ...args).then(
        (result) => answer(200, { result }),
        (error: unknown) => answer(400, { error: (error as Error).message }),
      )
  })
})
let url: string
beforeAll(async () => {
  await once(rest.listen(0, '127.0.0.1'), 'listening')
  url = `http://127.0.0.1:${(rest.address() as AddressInfo).port}`
})
afterAll(() => {
  rest.close()
  rest.closeAllConnections()
})
const open = async () => (await documentedStore('upstashStore'))(url, token)

storeContract('upstashStore of docs/stores.md', open, false)

it('SharedLimiter on upstashStore of docs/stores.md keeps the limits of three processes', async () => {
  const limits = { inFlight: 1, perMinute: 4, windowMs: 1000 }
  const stores = await Promise.all([open(), open(), open()])
  const limiters = stores.map((store) => new SharedLimiter({ store, organization: 'upstash', limits }))
  const ticket = { surface: 'a', share: limits, priority: 0, isRetry: false, maxHoldWait: 60_000 }
  const sends: number[] = []
  let inFlight = 0
  const calls = Array.from({ length: 9 }, async (_, i) => {
    const lease = await limiters[i % 3]!.acquire({ ...ticket })
    expect(++inFlight).toBe(1)
    lease.sent()
    sends.push(performance.now())
    await new Promise((resolve) => setTimeout(resolve, 10))
    inFlight--
    lease.answered(null)
    lease.release()
  })
  await Promise.all(calls)
  sends.forEach((at, i) => expect((sends[i + 4] ?? Infinity) - at).toBeGreaterThanOrEqual(limits.windowMs))
  await Promise.all(limiters.map((limiter) => limiter.close()))
})

it('upstashStore of docs/stores.md rejects with the error of Upstash', async () => {
  const store = (await documentedStore('upstashStore'))(url, 'wrong')
  await expect(store.update('a', () => ({ result: 0 }))).rejects.toThrow('Upstash answered 401: Unauthorized')
})

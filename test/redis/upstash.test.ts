import { createServer } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { documentedStore } from '../docs/stores.ts'
import { expectLimitsKept } from '../shared/limiter-contract.ts'
import { storeContract } from '../shared/store-contract.ts'
import { closed, listening } from '../support/listening.ts'
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
beforeAll(async () => void (url = await listening(rest)))
afterAll(() => closed(rest))
const open = async () => (await documentedStore('upstashStore'))(url, token)

storeContract('upstashStore of docs/stores.md', open, false)

it('SharedLimiter on upstashStore of docs/stores.md keeps the limits of three processes', () =>
  expectLimitsKept(open))

it('upstashStore of docs/stores.md rejects with the error of Upstash', async () => {
  const store = (await documentedStore('upstashStore'))(url, 'wrong')
  await expect(store.update('a', () => ({ result: 0 }))).rejects.toThrow('Upstash answered 401: Unauthorized')
})

import { type Server, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RequestHandler, toNodeListener } from '../../src/extensions/node/index.ts'
import { awkwardFunctions } from '../support/awkward-functions.ts'

let handler: RequestHandler
let server: Server
beforeAll(async () => {
  server = createServer(toNodeListener((request) => handler(request)))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
})
afterAll(() => server.close())

describe('toNodeListener() when the handler', () => {
  it.each(awkwardFunctions)('%s resets the connection', async (_, fail) => {
    handler = fail
    const { port } = server.address() as AddressInfo
    await expect(fetch(`http://127.0.0.1:${port}/`).then(({ status }) => status)).rejects.toThrow(
      'fetch failed',
    )
  })
})

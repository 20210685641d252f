import { createLogger } from '@stoplight/prism-core'
import { getHttpOperationsFromSpec } from '@stoplight/prism-http'
import { createServer as createMockServer } from '@stoplight/prism-http-server'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CatalogClient, ProblemError } from '../../src/extensions/catalog/index.ts'
import { type ReceivedEvent, createEventReceiver } from '../../src/extensions/events/index.ts'
import { toNodeListener } from '../../src/extensions/node/index.ts'
import { description } from './openapi.ts'

type MockServer = ReturnType<typeof createMockServer>
let mock: MockServer
let baseUrl: string

beforeAll(async () => {
  mock = createMockServer(await getHttpOperationsFromSpec(description), {
    components: { logger: createLogger('mock', { enabled: false }) },
    cors: false,
    config: {
      checkSecurity: true,
      validateRequest: true,
      validateResponse: true,
      mock: { dynamic: false },
      isProxy: false,
      errors: false,
      upstreamProxy: undefined,
    },
  })
  baseUrl = await mock.listen(0, '127.0.0.1')
})
afterAll(() => mock.close())

const makeClient = (headers = {}): CatalogClient => new CatalogClient({ baseUrl, token: 'a.b.c', headers })

describe('CatalogClient against a mock server made from the description', () => {
  it('create() and update() send requests and read responses that fit the description', async () => {
    const client = makeClient()
    const planet = { name: 'Aurora', satellites: [{ id: 7n, orbit: { planet: { id: 1 } } }] }
    for (const call of [
      client.planets.create(planet),
      client.planets.update(42, planet),
      client.celestialBodies.create(planet),
    ]) {
      const answer = await call
      expect(answer).toMatchObject({
        id: 42n,
        name: 'Aurora',
        satellites: [{ orbit: { planet: { id: 42n } } }],
      })
      expect(answer.physicalProperties?.mass).toBe(5.9e24)
    }
  })

  it.each([
    [400, 'Bad Request'],
    [403, 'Forbidden'],
    [404, 'Not Found'],
  ])('update() rejects with a ProblemError when the status is %i', async (status, title) => {
    const error = await makeClient({ prefer: `code=${status}` })
      .planets.update(42n, {})
      .catch((error: unknown) => error)
    expect(error).toBeInstanceOf(ProblemError)
    expect(error).toMatchObject({
      ...{ status, title, type: `https://catalog.example/${status}`, detail: 'See the title' },
      ...{ operation: 'planets.update', charged: 'no' },
      message: `planets.update: the service answered ${status}; ${title}: See the title`,
    })
  })

  it("create() rejects with the server's explanation when it refuses the body", async () => {
    const client = new CatalogClient({ baseUrl: `${baseUrl}/nowhere`, token: 'a.b.c' })
    await expect(client.planets.create({})).rejects.toMatchObject({
      name: 'ProblemError',
      status: 404,
      title: 'Route not resolved, no path matched',
      detail: expect.stringContaining('/nowhere/planets'),
    })
  })

  it('createEventReceiver() accepts the callback for a created planet', async () => {
    const { promise, resolve } = Promise.withResolvers<ReceivedEvent>()
    const receive = createEventReceiver({
      verify: ({ url }) => url.searchParams.get('secret') === 's3cret',
      onEvent: resolve,
    })
    const receiver = createServer(toNodeListener(receive))
    await new Promise<void>((listening) => receiver.listen(0, '127.0.0.1', listening))
    const { port } = receiver.address() as AddressInfo
    await makeClient().planets.create({ successCallbackUrl: `http://127.0.0.1:${port}/done?secret=s3cret` })
    expect(await promise).toMatchObject({ payload: { planet: 'Aurora' } })
    receiver.closeAllConnections()
    receiver.close()
  })
})

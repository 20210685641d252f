import { afterEach, describe, expect, it, vi } from 'vitest'
import {
  CatalogClient,
  type Planet,
  type PlanetId,
  ProblemError,
} from '../../src/extensions/catalog/index.ts'
import { ConfigurationError, InvalidRequestError, InvalidResponseError } from '../../src/index.ts'
import { createSandbox } from '../support/sandbox.ts'
import { settle, useVirtualTime } from '../support/clock.ts'

const baseUrl = 'https://catalog.example'
const token = 'header.payload.signature'

/** A client whose requests get the scripted answers, the last one for ever, and what was sent. */
function makeClient(...answers: Response[]) {
  const sent: { method: string; url: string; authorization: string | null; body: string }[] = []
  const fetch = async (request: Request): Promise<Response> => {
    const { method, url, headers } = request
    sent.push({ method, url, authorization: headers.get('authorization'), body: await request.text() })
    const answer = answers.length > 1 ? answers.shift() : answers[0]?.clone()
    return answer ?? Response.error()
  }
  return { client: new CatalogClient({ baseUrl, token, fetch }), fetch, sent }
}

const errorOf = (call: PromiseLike<unknown>): Promise<unknown> =>
  Promise.resolve(call).catch((error: unknown) => error)
const json = (text: string, status = 200): Response => new Response(text, { status })

describe('CatalogClient', () => {
  afterEach(() => vi.useRealTimers())

  const [name, id] = ['a', -9007199254740993n]
  it.each<[string, string, string, (client: CatalogClient) => unknown]>([
    ['planets.create', 'POST', '/planets', ({ planets }) => planets.create({ name })],
    ['planets.update', 'PUT', `/planets/${id}`, ({ planets }) => planets.update(id, { name })],
    [
      'celestialBodies.create',
      'POST',
      '/celestial-bodies',
      (client) => client.celestialBodies.create({ name }),
    ],
  ])('%s() sends the documented method, path and body, and nothing else', async (_, method, path, call) => {
    const { client, sent } = makeClient(json('{}'))
    await call(client)
    expect(sent).toEqual([
      { method, url: baseUrl + path, authorization: `Bearer ${token}`, body: '{"name":"a"}' },
    ])
  })

  it('create() keeps every digit of an id, at any depth, in requests and responses', async () => {
    const text =
      '{"id":9007199254740993,"creator":{"id":-9223372036854775808},' +
      '"satellites":[{"id":9223372036854775807,"diameter":9007199254740993,"orbit":{"planet":{"id":1}}}]}'
    const { client, sent } = makeClient(json(text))
    const planet = await client.planets.create({})
    expect(planet).toEqual({
      id: 9007199254740993n,
      creator: { id: -9223372036854775808n },
      satellites: [{ id: 9223372036854775807n, diameter: 9007199254740992, orbit: { planet: { id: 1n } } }],
    })
    await client.planets.create({ ...planet, satellites: [{ id: 9223372036854775807n }] })
    expect(sent[1]?.body).toBe(
      '{"id":9007199254740993,"creator":{"id":-9223372036854775808},"satellites":[{"id":9223372036854775807}]}',
    )
  })

  it("create() returns a bigint for a planet's id, and for other ids that exceed a number", async () => {
    const text = '{"id":1e3,"creator":{"id":2.0},"ownerId":9007199254740993,"groupId":7}'
    expect(await makeClient(json(text)).client.planets.create({})).toEqual({
      ...{ id: 1000n, creator: { id: 2n }, ownerId: 9007199254740993n, groupId: 7 },
    })
  })

  it('create() keeps undocumented fields, and requires none', async () => {
    const { client } = makeClient(json('{"rings":3,"__proto__":{"polluted":true}}'))
    const planet = await client.planets.create({})
    expect(Object.entries(planet)).toEqual([
      ['rings', 3],
      ['__proto__', { polluted: true }],
    ])
    expect(({} as { polluted?: true }).polluted).toBeUndefined()
  })

  it.each<[string, unknown, Planet<PlanetId>]>([
    ['planetId', 2 ** 53, {}],
    ['planetId', 2n ** 63n, {}],
    ['planetId', '../planets', {}],
    ['planetId', undefined, {}],
    ['satellites.0.orbit.planet.id', 1, { satellites: [{ orbit: { planet: { id: 1.5 } } }] }],
    ['tags.0', 1, { tags: [1 as never] }],
  ])('update() refuses a %s that cannot be sent exactly, before sending: %o', async (path, id, planet) => {
    const { client, sent } = makeClient(json('{}'))
    const error = await errorOf(client.planets.update(id as PlanetId, planet))
    expect(error).toBeInstanceOf(InvalidRequestError)
    expect(error).toMatchObject({ issues: [{ path: path === 'planetId' ? 'id' : path }] })
    expect(sent).toHaveLength(0)
  })

  it('create() refuses a circular planet', async () => {
    const { client, sent } = makeClient(json('{}'))
    const planet: Planet = { name: 'Ouroboros' }
    planet.satellites = [{ orbit: { planet } }]
    await expect(client.planets.create(planet)).rejects.toMatchObject({
      issues: [
        { path: '', message: expect.stringMatching(/too deep or circular|cannot be written as JSON/) },
      ],
    })
    expect(sent).toHaveLength(0)
  })

  it.each([
    ['a field of another type', '{"name":5}', 'name'],
    ['an id that is not an integer', '{"id":"5"}', 'id'],
    ['a body that is not an object', '[]', ''],
  ])('create() keeps the response on the error when it has %s', async (_, text, path) => {
    const error = await errorOf(makeClient(json(text)).client.planets.create({}))
    expect(error).toBeInstanceOf(InvalidResponseError)
    expect(error).toMatchObject({ issues: [{ path }], body: JSON.parse(text) })
  })

  it.each([
    [
      '{"title":"Gone","detail":"No planet 1","status":404}',
      { name: 'ProblemError', title: 'Gone', message: expect.stringContaining('Gone: No planet 1') },
    ],
    ['{"title":"Gone","detail":null}', { name: 'ProblemError', title: 'Gone' }],
    ['{"requestId":"r","error":{"code":"x"}}', { name: 'NotFoundError' }],
    ['<html>', { name: 'NotFoundError' }],
    ['', { name: 'NotFoundError' }],
  ])('update() rejects with the closest class when the error body is %s', async (text, expected) => {
    const error = await errorOf(makeClient(json(text, 404)).client.planets.update(1, {}))
    expect(error).toMatchObject({ status: 404, operation: 'planets.update', ...expected })
    expect(error instanceof ProblemError).toBe(expected.name === 'ProblemError')
  })

  it('create() is retried when it was not sent or after a 429, and not when its response is lost', async () => {
    useVirtualTime()
    const lost = makeClient(Response.error())
    expect((await settle(lost.client.planets.create({}))).error).toMatchObject({ code: 'connection' })
    expect(lost.sent).toHaveLength(1)

    const busy = new Response('{"title":"Busy"}', { status: 429, headers: { 'retry-after': '2' } })
    const waited = makeClient(busy, json('{"id":1}'))
    expect((await settle(waited.client.planets.create({}))).value).toEqual({ id: 1n })
    expect(performance.now()).toBeGreaterThanOrEqual(2000)
  })

  it('create() asks a token function before each attempt', async () => {
    const tokens = ['first', 'second']
    const { fetch, sent } = makeClient(json('{}'))
    const client = new CatalogClient({ baseUrl, token: () => tokens.shift() ?? 'none', fetch })
    for (let calls = 0; calls < 2; calls++) await client.planets.create({})
    expect(sent.map(({ authorization }) => authorization)).toEqual(['Bearer first', 'Bearer second'])
  })

  it('create() never queues, because the catalog documents no limits', async () => {
    let open = 0
    const { promise, resolve } = Promise.withResolvers<Response>()
    const fetch = (): Promise<Response> => {
      open++
      return promise.then((response) => response.clone())
    }
    const client = new CatalogClient({ baseUrl, token, fetch })
    const calls = Array.from({ length: 30 }, () => client.planets.create({}))
    await vi.waitFor(() => expect(open).toBe(30))
    resolve(json('{}'))
    await Promise.all(calls)
  })

  it('close() ends pending calls', async () => {
    const client = new CatalogClient({ baseUrl, token, fetch: () => new Promise(() => {}) })
    const call = errorOf(client.planets.create({}))
    await client.close()
    expect(await call).toMatchObject({ code: 'closed', operation: 'planets.create' })
  })

  it.each([
    [{ baseUrl, token: '' }, 'token is empty'],
    [{ baseUrl, token: 'line\nbreak' }, 'token must be printable ASCII'],
    [{ baseUrl, token: undefined }, 'token must be a string, got undefined'],
    [{ baseUrl: 'http://catalog.example', token }, 'baseUrl must be https'],
  ])('CatalogClient() refuses the invalid options %o', (options, message) => {
    expect(() => new CatalogClient(options as never)).toThrow(ConfigurationError)
    expect(() => new CatalogClient(options as never)).toThrow(message)
  })
})

describe('createSandbox()', () => {
  it('serves the catalog: creates and updates planets, and responds to errors with problems', async () => {
    const sandbox = createSandbox()
    const client = new CatalogClient({ ...sandbox.catalog, fetch: sandbox.fetch })
    const planet = await client.planets.create({ name: 'Aurora' })
    expect(planet).toEqual({ id: 9007199254740993n, name: 'Aurora' })
    const updated = await client.planets.update(planet.id!, { name: 'Borealis' })
    expect(updated).toEqual({ id: planet.id, name: 'Borealis' })
    expect(await client.celestialBodies.create({})).toEqual({ id: 9007199254740994n })
    const attempts = [
      client.planets.update(1, {}),
      new CatalogClient({ ...sandbox.catalog, token: 'other', fetch: sandbox.fetch }).planets.create({}),
    ]
    const errors = await Promise.all(attempts.map(errorOf))
    expect(errors).toMatchObject([
      { name: 'ProblemError', status: 404, detail: 'No planet 1' },
      { name: 'ProblemError', status: 403, detail: 'Missing or unknown token' },
    ])
    expect(sandbox.requests.map(({ operation, status }) => [operation, status])).toEqual([
      ['planets.create', 201],
      ['planets.update', 200],
      ['celestialBodies.create', 201],
      ['planets.update', 404],
      ['planets.create', 403],
    ])
  })

  it.each(['{"name":1}', 'no JSON'])('responds with 400 when the body is %s', async (body) => {
    const { catalog, fetch } = createSandbox()
    const headers = { authorization: `Bearer ${catalog.token}` }
    const answer = await fetch(new Request(`${catalog.baseUrl}/planets`, { method: 'POST', headers, body }))
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ status: 400, title: 'Bad Request' })
  })
})

import type { Socket } from 'node:net'
import { describe, expect, it } from 'vitest'
import { collectGarbage } from '../support/garbage.ts'
import { miscounts } from '../support/ledger.ts'
import { http, rawServer } from '../support/raw-server.ts'
import { realTime } from '../support/real-time.ts'
import { serveSandbox } from '../support/sandbox.ts'
import { query } from '../support/search.ts'
import { makeClient } from '../support/service.ts'

describe('search() over HTTP', () => {
  it.each<[string, string, (socket: Socket) => unknown]>([
    ['no response arrives', 'headers', () => {}],
    ['the body stalls', 'body', (socket) => socket.write(http('200 OK', 'x', { 'content-length': '9' }))],
  ])(
    'closes its connection at the timeout when %s and its request was collected',
    async (_, phase, stall) => {
      const server = await rawServer((socket) => {
        stall(socket)
        const collecting = setInterval(collectGarbage, 50)
        socket.on('close', () => clearInterval(collecting))
      })
      const client = makeClient({ baseUrl: server.baseUrl, timeout: 600 })
      const { error } = await realTime.settle(client.microblog.search(query))
      expect(error).toMatchObject({ name: 'TimeoutError', phase, charged: 'unknown' })
      await expect.poll(server.open).toBe(0)
      await server.close()
    },
  )

  it('closes its connection when it is aborted while the body arrives', async () => {
    const server = await rawServer((socket) => socket.write(http('200 OK', '{', { 'content-length': '99' })))
    const abort = new AbortController()
    const client = makeClient({ baseUrl: server.baseUrl })
    const call = realTime.settle(client.microblog.search(query, { signal: abort.signal }))
    await expect.poll(() => server.requests).toHaveLength(1)
    abort.abort('left')
    expect((await call).error).toBe('left')
    await expect.poll(server.open).toBe(0)
    await server.close()
  })

  it('never has more than 2 open, and the right ledger, when 150 stall, reset, time out and are aborted', async () => {
    const limits = { perMinute: false } as const
    const server = await serveSandbox({ latency: [0, 10], posts: 50, limits })
    const { baseUrl, apiKey } = server
    let peak = 0
    // Counted here: a busy machine closes the connections of aborted requests late.
    const counted = (request: Request): Promise<Response> => {
      peak = Math.max(peak, client.status().slots.taken)
      return fetch(request)
    }
    const client = makeClient({ baseUrl, apiKey, limits, fetch: counted })
    for (let skip = 0; skip < 10; skip++) {
      const resets = [{ reset: 'after' }, { reset: 'before' }] as const
      for (const fault of [{ cut: 'stall' } as const, ...resets, { delay: 500 }, { status: 502 }])
        server.inject({ operation: 'microblog.search', skip: skip * 2, ...fault })
    }
    const calls = Array.from({ length: 150 }, (_, index) => {
      const signal = AbortSignal.timeout(40 + (index % 7) * 60)
      return client.microblog.search({ query: `query ${index}` }, { signal, timeout: 60 })
    })
    await Promise.allSettled(calls)
    const { error } = await realTime.settle(client.professionalnet.industries.list())
    await server.close()
    expect([error, peak]).toEqual([undefined, 2])
    expect(miscounts(client.credits, server.ledger.spent)).toEqual([])
  })
})

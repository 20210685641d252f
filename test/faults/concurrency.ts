import { vi } from 'vitest'
import { serveSandbox } from '../support/sandbox.ts'
import { collectGarbage } from '../support/garbage.ts'
import { abortIn, pass, settle } from '../support/clock.ts'
import { http, rawServer } from '../support/raw-server.ts'
import { apiKey, failure, hang, makeClient, ok } from '../support/service.ts'
import { type Faults, inRealTime, must } from './case.ts'
import { miscounts } from '../support/ledger.ts'
import { costs, ending, endings, inVirtualTime, outcomeOf, queries, scripted, success } from './observe.ts'

const page = ok(success)
const unpaced = { limits: { perMinute: false } } as const
const unavailable = failure(503, 'professionalnet_unavailable', { error: { retryAfter: 20 } })

export const concurrency: Faults = {
  '10,000 calls are queued, and all aborted': async () => {
    const told = await inVirtualTime(async () => {
      const before = collectGarbage()
      const { fetch, at } = scripted(hang)
      const client = makeClient({ fetch, ...unpaced })
      const abort = new AbortController()
      const calls = queries(10_000).map((query) =>
        client.microblog.search({ query }, { signal: abort.signal }),
      )
      const all = Promise.allSettled(calls)
      await pass(0)
      abort.abort('left')
      const { value = [], ms } = await settle(all)
      must(ms === 0, 'they settle at once')
      const told = `${endings(value)}; ${at.length} sent; ${costs(client, undefined)}`
      calls.length = 0
      value.length = 0
      return { told, before }
    })
    const grown = collectGarbage() - told.before
    return `${told.told}; memory ${grown < 20 * 2 ** 20 ? 'given back' : `grown by ${grown} bytes`}`
  },
  '200 calls at once, over HTTP': async () => {
    let open = 0
    let peak = 0
    const bytes = http('200 OK', JSON.stringify(success))
    const server = await rawServer((socket) => {
      peak = Math.max(peak, ++open)
      setImmediate(() => {
        open--
        socket.write(bytes)
      })
    })
    const client = makeClient({ baseUrl: server.baseUrl, ...unpaced })
    const ends = await Promise.allSettled(queries(200).map((query) => client.microblog.search({ query })))
    await server.close()
    return `${endings(ends)}, at most ${peak} open; ${costs(client, undefined)}`
  },
  'a call in flight is aborted, and another waits for its slot': () =>
    inVirtualTime(async () => {
      const start = performance.now()
      const { fetch, at } = scripted(hang, page)
      const client = makeClient({ fetch, limits: { inFlight: 1 } })
      const first = settle(client.microblog.search({ query: 'a' }, { signal: abortIn(100, 'left') }))
      await pass(0)
      const second = settle(client.microblog.search({ query: 'b' }))
      const { error, ms } = await first
      await second
      return `${ending(error)} at ${ms} ms; the other sent at ${Math.floor(at[1]! - start)} ms; ${costs(client, undefined)}`
    }),
  'a call is aborted while its body arrives, over HTTP': async () => {
    const server = await rawServer(
      (socket) => void socket.write(http('200 OK', '{', { 'content-length': '99' })),
    )
    const client = makeClient({ baseUrl: server.baseUrl })
    const abort = new AbortController()
    const call = outcomeOf(client.microblog.search({ query: 'rust' }, { signal: abort.signal }))
    await vi.waitFor(() => must(server.requests.length === 1, 'the request arrives'), { timeout: 10_000 })
    abort.abort('left')
    const { error } = await call
    await vi.waitFor(() => must(server.open() === 0, 'the connection is closed'), { timeout: 10_000 })
    await server.close()
    return `${ending(error)}; connection closed; ${costs(client, error)}`
  },
  'a call waits for its retry, and another is ready': () =>
    inVirtualTime(async () => {
      const { fetch } = scripted(unavailable, page)
      const client = makeClient({ fetch, limits: { inFlight: 1 } })
      const waiting = outcomeOf(client.microblog.search({ query: 'waiting' }))
      await pass(100)
      const { error, ms } = await settle(client.microblog.search({ query: 'other' }))
      const last = await settle(waiting)
      return `the other ${ending(error)} at ${ms} ms; then ${ending(last.value?.error)}`
    }),
  'the raw body is not read': async () => {
    const server = await rawServer((socket) => void socket.write(http('200 OK', JSON.stringify(success))))
    const client = makeClient({ baseUrl: server.baseUrl, limits: { inFlight: 1 } })
    const calls = queries(3).map((query) => client.microblog.search({ query }).withResponse())
    const ends = await Promise.allSettled(calls)
    await server.close()
    return endings(ends)
  },
  'two clients with one key, 20 calls each': () =>
    inVirtualTime(async () => {
      let open = 0
      let peak = 0
      const slow = async (): Promise<Response> => {
        peak = Math.max(peak, ++open)
        await new Promise((done) => setTimeout(done, 50))
        open--
        return page.clone()
      }
      const shared = { apiKey: `${apiKey}_shared`, organization: undefined, fetch: slow, ...unpaced }
      const clients = [makeClient(shared), makeClient(shared)]
      const calls = clients.flatMap((client) =>
        queries(20).map((query) => client.microblog.search({ query })),
      )
      const { value = [] } = await settle(Promise.allSettled(calls))
      const spent = clients.reduce((sum, { credits }) => sum + credits.spent, 0)
      return `${endings(value)}, at most ${peak} open; spent ${spent} in all`
    }),
  'close() with calls in flight, queued and waiting': () =>
    inVirtualTime(async () => {
      const { fetch, at } = scripted(unavailable, hang)
      const client = makeClient({ fetch })
      const waiting = client.microblog.search({ query: 'waiting' }).then()
      await pass(100)
      const others = queries(3).map((query) => client.microblog.search({ query }).then())
      const all = Promise.allSettled([waiting, ...others])
      await pass(100)
      const closed = client.close()
      const late = await outcomeOf(client.withOptions({}).microblog.search({ query: 'late' }))
      const { value = [], ms } = await settle(all)
      await closed
      must(ms === 0, 'they settle at once')
      const ends = [...value, { status: 'rejected', reason: late.error } as const]
      const errors = ends.map((end) =>
        end.status === 'rejected' ? (end.reason as { charged: string }) : null,
      )
      must(new Set(errors).size === ends.length, 'each has a separate error')
      const charged = errors.map((error) => error?.charged).join(', ')
      return `${endings(ends)}, charged ${charged}; ${at.length} sent; ${costs(client, undefined)}`
    }),
  '150 calls that stall, reset, time out and are aborted, over HTTP': inRealTime(async () => {
    const server = await serveSandbox({ latency: [0, 10], posts: 50, limits: { perMinute: false } })
    const { baseUrl, apiKey } = server
    let peak = 0
    // Counted here: a busy machine closes the connections of aborted requests late.
    const counted = (request: Request): Promise<Response> => {
      peak = Math.max(peak, client.status().slots.taken)
      return fetch(request)
    }
    const client = makeClient({ baseUrl, apiKey, ...unpaced, fetch: counted })
    for (let skip = 0; skip < 10; skip++) {
      const resets = [{ reset: 'after' }, { reset: 'before' }] as const
      for (const fault of [{ cut: 'stall' } as const, ...resets, { delay: 500 }, { status: 502 }])
        server.inject({ operation: 'microblog.search', skip: skip * 2, ...fault })
    }
    const calls = queries(150).map((query, index) => {
      const signal = AbortSignal.timeout(40 + (index % 7) * 60)
      return client.microblog.search({ query }, { signal, timeout: 60 })
    })
    const ends = await Promise.allSettled(calls)
    const next = await outcomeOf(client.professionalnet.industries.list())
    const [problem = 'spent ≤ ledger ≤ spent + uncertain'] = miscounts(client.credits, server.ledger.spent)
    await server.close()
    return `${ends.length} settled, at most ${peak} open, then ${ending(next.error)}; ${problem}`
  }),
}

import { expect, it, vi } from 'vitest'
import { settle, virtualTime } from '../../support/clock.ts'
import { hang, makeClient, ok, slow } from '../../support/service.ts'
import { query } from '../../support/search.ts'

virtualTime()

it('onWait leaves no timer when it aborts the only call that waits', async () => {
  const client = makeClient({ fetch: hang, limits: { inFlight: 1 }, timeout: 600 })
  const first = client.microblog.search(query).catch((error: unknown) => error)
  const controller = new AbortController()
  const { signal } = controller
  const reason = new Error('enough')
  const second = client.microblog.search(query, {
    signal,
    observers: [{ onWait: () => controller.abort(reason) }],
  })
  expect((await settle(second)).error).toBe(reason)
  await settle(first)
  await vi.advanceTimersByTimeAsync(1000)
  expect(vi.getTimerCount()).toBe(0)
})

it('onWait does not affect the call when it rejects', async () => {
  const error = vi.fn()
  const onWait = (() => Promise.reject(new Error('mine'))) as () => void
  const observers = [{ onWait }]
  const client = makeClient({ fetch: slow(600), limits: { inFlight: 1 }, observers, logger: { error } })
  const calls = [client.microblog.search(query), client.microblog.search(query)]
  expect((await settle(Promise.all(calls))).value).toHaveLength(2)
  expect(error).toHaveBeenCalledWith('onWait failed', expect.objectContaining({ reason: 'mine' }))
})

it('search() keeps its slot for 50 ms when the response is cut off at its limit', async () => {
  const starts: number[] = []
  const chunk = new Uint8Array(2 ** 24).fill(32)
  const endless = (): Response =>
    new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }))
  const fetch = (): Promise<Response> => {
    starts.push(performance.now())
    return Promise.resolve(starts.length === 1 ? endless() : ok())
  }
  const client = makeClient({ fetch, limits: { inFlight: 1 } })
  const first = client.microblog.search(query).catch((error: unknown) => error)
  await settle(client.microblog.search(query))
  expect(await first).toMatchObject({ name: 'InvalidResponseError' })
  expect(starts[1]! - starts[0]!).toBe(50)
})

it.each(['timeout', 'signal'])(
  'search() keeps its slot for 50 ms when its %s ends it in flight',
  async (option) => {
    const starts: number[] = []
    const abort = new AbortController()
    const fetch = (): Promise<Response> => {
      setTimeout(() => abort.abort(), 100)
      return starts.push(performance.now()) === 1 ? hang() : Promise.resolve(ok())
    }
    const client = makeClient({ fetch, limits: { inFlight: 1 } })
    const options = option === 'timeout' ? { timeout: 100 } : { signal: abort.signal }
    client.microblog.search(query, options).catch(() => {})
    await settle(client.microblog.search(query))
    expect(starts[1]! - starts[0]!).toBe(150)
  },
)

import { expect, it, vi } from 'vitest'
import { settle, virtualTime } from '../../support/clock.ts'
import { makeClient, ok } from '../../support/service.ts'

virtualTime()

const refused = (): Promise<Response> =>
  Promise.reject(
    Object.assign(new TypeError('fetch failed'), { cause: { code: 'ECONNREFUSED', syscall: 'connect' } }),
  )

it('search() goes at once after twenty requests that never left', async () => {
  let fetch = refused
  const client = makeClient({ fetch: () => fetch(), retry: false })
  for (let i = 0; i < 20; i++) await settle(client.microblog.search({ query: 'a' }))
  fetch = () => Promise.resolve(ok())
  const { ms, value } = await settle(client.microblog.search({ query: 'a' }))
  expect([ms, value?.posts.length]).toEqual([0, 1])
})

it('search() goes at once after twenty calls that were aborted between their turn and their sending', async () => {
  // The lease is granted, and the request sent, after some steps of promises: a call may be aborted at each of them.
  let steps = 0
  for (; ; steps++) {
    const fetch = vi.fn(() => Promise.resolve(ok()))
    const client = makeClient({ organization: `aborted after ${steps} steps`, fetch })
    for (let i = 0; i < 20; i++) {
      const abort = new AbortController()
      const search = client.microblog.search({ query: 'a' }, { signal: abort.signal })
      const ended = search.catch(() => {})
      for (let step = 0; step < steps; step++) await Promise.resolve()
      abort.abort()
      await settle(Promise.resolve(ended))
    }
    if (fetch.mock.calls.length > 0) break
    const { ms } = await settle(client.microblog.search({ query: 'b' }))
    expect(ms).toBe(0)
    expect(client.status().slots.taken).toBe(0)
  }
  expect(steps).toBeGreaterThan(3)
})

import type { Hooks } from '../../../src/index.ts'
import { describe, expect, it, vi } from 'vitest'
import { ResultCache } from '../../../src/extensions/cache/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { apiKey, maybePaid, notPaid, ok, scriptedService, unreachable } from '../../support/service.ts'
import { query } from '../../support/search.ts'

const service = scriptedService()
virtualTime()

type Hook = NonNullable<Hooks['beforeRequest']>[number]

/** Raises the limits of ky as far as a hook can. */
const raiseLimits: Hook = ({ options }) =>
  void Object.assign(options.retry, {
    limit: 5,
    methods: ['get', 'post'],
    delay: () => 1,
    shouldRetry: () => true,
  })

describe('hooks', () => {
  it('of a call do not run for other calls', async () => {
    service.script(() => ok())
    const hook = vi.fn()
    const { client } = await service.search(
      { hooks: { beforeRequest: undefined } },
      { hooks: { beforeRequest: [hook] } },
    )
    await service.search(client)
    expect(hook).toHaveBeenCalledOnce()
  })

  it('change the headers of the request', async () => {
    service.script(ok())
    const hook: Hook = ({ request }) => request.headers.set('traceparent', '00-1')
    await service.search({ hooks: { beforeRequest: [hook] } })
    const [arrival] = service.arrivals
    expect(arrival?.headers.get('traceparent')).toBe('00-1')
    expect(arrival?.headers.get('authorization')).toBe(`Bearer ${apiKey}`)
    expect(JSON.parse(arrival!.body)).toEqual(query)
  })

  it('cannot set a header of the connection, which the runtime would refuse', async () => {
    const hook: Hook = ({ request }) => request.headers.set('Keep-Alive', 'timeout=5')
    expect(await service.search({ hooks: { beforeRequest: [hook] } })).toMatchObject({
      error: { name: 'ConfigurationError', charged: 'no', message: expect.stringContaining('keep-alive') },
      ...notPaid,
      sent: 0,
    })
  })

  it('cannot send twice by raised limits when no response arrives', async () => {
    service.script(unreachable())
    const message = expect.stringContaining('a hook sent the request again')
    expect(await service.search({ hooks: { beforeRequest: [raiseLimits] } })).toMatchObject({
      error: { name: 'ConfigurationError', charged: 'unknown', message },
      ...maybePaid,
      sent: 1,
    })
  })

  it('cannot send when the attempt is over', async () => {
    const fetch = vi.fn(() => Promise.resolve(ok()))
    let goOn = (): void => {}
    const slow = () => new Promise<void>((resolve) => (goOn = resolve))
    const { error } = await service.search({ fetch, hooks: { beforeRequest: [slow] }, timeout: 1000 })
    expect(error).toMatchObject({ name: 'TimeoutError', charged: 'no' })
    goOn()
    await settle(new Promise((resolve) => setTimeout(resolve, 100)))
    expect(fetch).not.toHaveBeenCalled()
  })

  it.each<[string, unknown]>([
    ['a Request', ({ request }: Parameters<Hook>[0]) => new Request('https://evil.example/', request)],
    ['a Response', () => Response.json({ requestId: 'r', posts: [] })],
    ['a Response later', () => Promise.resolve(ok())],
  ])('that return %s fail the call, which sends nothing and costs nothing', async (_, hook) => {
    const message = expect.stringContaining('a beforeRequest hook may only change headers')
    const store = { get: vi.fn(), set: vi.fn(), delete: vi.fn() }
    const cache = new ResultCache({ maxAge: 60_000, store })
    expect(await service.search({ cache, hooks: { beforeRequest: [hook as Hook] } })).toMatchObject({
      error: { name: 'ConfigurationError', charged: 'no', message },
      ...notPaid,
      sent: 0,
    })
    expect(store.set).not.toHaveBeenCalled()
  })
})

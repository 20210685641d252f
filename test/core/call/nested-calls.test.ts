import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Hooks, SocialSearch } from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { makeClient, ok, scriptedService } from '../../support/service.ts'
import { query } from '../../support/search.ts'

const service = scriptedService()
virtualTime()
afterEach(() => {
  vi.unstubAllGlobals()
  vi.resetModules()
})

const refusal = /must not call its own client/

/** Fresh modules, as in a runtime without AsyncLocalStorage. */
async function withoutAsyncHooks(): Promise<typeof makeClient> {
  vi.resetModules()
  vi.stubGlobal('process', { ...process, getBuiltinModule: undefined })
  return (await import('../../support/service.ts')).makeClient
}

/** Eight searches at once, with user code that calls the client for each. */
function searches(client: SocialSearch) {
  return settle(Promise.allSettled(Array.from({ length: 8 }, () => client.microblog.search(query).then())))
}

describe('a call to the same client', () => {
  it('works in a beforeError hook', async () => {
    service.script(() => ok({ requestId: 'req_1' }))
    const usage = vi.fn()
    let fails = true
    const fetch = (request: Request) =>
      fails ? Promise.reject(new TypeError('no connection')) : globalThis.fetch(request)
    const client = makeClient({ fetch, limits: { inFlight: 1 } })
    const beforeError: Hooks['beforeError'] = [
      async ({ error }) => {
        fails = false
        usage(await client.organization.usage())
        return error
      },
    ]
    const { error } = await settle(client.microblog.search(query, { hooks: { beforeError } }))
    expect(error).toMatchObject({ name: 'ConnectionError' })
    expect(usage).toHaveBeenCalledOnce()
  })

  it('is refused in a beforeRequest hook after an await', async () => {
    service.script(() => ok())
    const beforeRequest: Hooks['beforeRequest'] = [
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 10))
        await client.organization.usage()
      },
    ]
    const client = makeClient({ hooks: { beforeRequest } })
    const { value, ms } = await searches(client)
    for (const result of value ?? []) {
      const { reason } = result as PromiseRejectedResult
      expect(reason).toMatchObject({ name: 'ConfigurationError', charged: 'no' })
      expect((reason as Error).message).toMatch(refusal)
    }
    expect(ms).toBeLessThan(1000)
    expect(service.arrivals).toHaveLength(0)
  })

  it('is refused in a fetch after an await', async () => {
    service.script(() => ok())
    const refused = vi.fn()
    const fetch = async (request: Request): Promise<Response> => {
      await new Promise((resolve) => setTimeout(resolve, 10))
      await client.organization.usage().catch(refused)
      return globalThis.fetch(request)
    }
    const client = makeClient({ fetch })
    const { value } = await searches(client)
    expect(value?.every(({ status }) => status === 'fulfilled')).toBe(true)
    expect(refused).toHaveBeenCalledTimes(8)
    expect((refused.mock.calls[0]?.[0] as Error).message).toMatch(refusal)
    expect(client.credits).toMatchObject({ spent: 16, uncertain: 0, reserved: 0 })
  })

  it('fails the call of a fetch that does not catch its refusal, once and with its message', async () => {
    const fetch = vi.fn(async () => {
      await client.organization.usage()
      return ok()
    })
    const client = makeClient({ fetch })
    const { error } = await settle(client.organization.context())
    expect(error).toMatchObject({ name: 'ConfigurationError', message: expect.stringMatching(refusal) })
    expect(fetch).toHaveBeenCalledOnce()
  })

  it('works in work that a fetch has started when the fetch has ended', async () => {
    service.script(() => ok())
    const later = vi.fn()
    const fetch = (request: Request): Promise<Response> => {
      if (client.credits.spent === 0)
        setTimeout(() => void client.microblog.search({ query: 'later' }).then(later), 1000)
      return globalThis.fetch(request)
    }
    const client = makeClient({ fetch })
    await settle(client.microblog.search(query))
    await vi.advanceTimersByTimeAsync(2000)
    await settle(Promise.resolve())
    expect(later).toHaveBeenCalledOnce()
  })

  it('is refused before the first await on a runtime without AsyncLocalStorage', async () => {
    service.script(() => ok())
    const make = await withoutAsyncHooks()
    const client = make({
      hooks: { beforeRequest: [() => client.organization.usage().then(() => {})] },
    })
    const { error } = await settle(client.microblog.search(query))
    expect((error as Error).message).toMatch(refusal)
    const { value } = await settle(
      client.microblog.search(query, { headers: {} }).catch(() => 'refused again'),
    )
    expect(value).toBe('refused again')
  })
})

describe('a call to another client', () => {
  it('works in a beforeRequest hook and in a fetch', async () => {
    service.script(
      () => ok({ requestId: 'req_1' }),
      () => ok(),
    )
    const other = makeClient()
    const fetch = async (request: Request): Promise<Response> => {
      await other.organization.usage()
      return globalThis.fetch(request)
    }
    const beforeRequest: Hooks['beforeRequest'] = [() => other.organization.context().then(() => {})]
    const client = makeClient({ fetch, hooks: { beforeRequest } })
    const { value } = await settle(client.mentions.count())
    expect(value).toMatchObject({ requestId: 'req_1' })
  })
})

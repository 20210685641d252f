import { describe, expect, it } from 'vitest'
import type { Hooks } from '../../src/index.ts'
import { settle, virtualTime } from '../support/clock.ts'
import { page } from '../support/pages.ts'
import { ok, scriptedService } from '../support/service.ts'
import { idsOf, query } from '../support/search.ts'
import { cached } from './cached.ts'

const service = scriptedService()
virtualTime()

/** Replaces each page. */
const replacing: Hooks = {
  afterResponse: [() => new Response(JSON.stringify(page(['replaced'])), { status: 200 })],
}

describe('search() with a cache and hooks', () => {
  it('shares no request in flight when another call has other hooks', async () => {
    service.script(() => ok())
    const { client } = cached()
    const seen: string[] = []
    const hooks = { afterResponse: [() => void seen.push('own')] }
    const calls = [replacing, undefined, hooks, hooks].map((hooks) =>
      client.microblog.search(query, { hooks }),
    )
    const { value } = await settle(Promise.all(calls))
    expect(value?.map(({ posts }) => idsOf(posts)[0])).toEqual(['replaced', '1', '1', '1'])
    expect([service.arrivals.length, seen]).toEqual([3, ['own']])
  })

  it('stores no answer that a hook has replaced', async () => {
    service.script(() => ok())
    const { client } = cached()
    expect(idsOf((await settle(client.microblog.search(query, { hooks: replacing }))).value!.posts)).toEqual([
      'replaced',
    ])
    expect(idsOf((await settle(client.microblog.search(query))).value!.posts)).toEqual(['1'])
    expect(service.arrivals).toHaveLength(2)
  })

  it.each<[string, Hooks]>([
    [
      'with another body',
      { beforeRequest: [({ request }) => new Request(request, { body: '{"query":"go"}' })] },
    ],
    [
      'to another address',
      { beforeRequest: [({ request }) => new Request(`${request.url}?debug=1`, request)] },
    ],
  ])('stores no answer when a hook sends a request %s', async (_, hooks) => {
    service.script(() => ok())
    const { client } = cached()
    await settle(client.microblog.search(query, { hooks }))
    await settle(client.microblog.search(query))
    expect(service.arrivals).toHaveLength(2)
  })

  it.each<[string, Hooks]>([
    ['reads the response', { afterResponse: [({ response }) => response.text().then(() => undefined)] }],
    ['returns the response', { afterResponse: [({ response }) => response] }],
    ['sets a header', { beforeRequest: [({ request }) => request.headers.set('x-trace', '1')] }],
    [
      'returns a request with another header',
      { beforeRequest: [({ request }) => new Request(request, { headers: { 'x-trace': '1' } })] },
    ],
  ])('stores the answer when a hook only %s', async (_, hooks) => {
    service.script(() => ok())
    const { client } = cached()
    expect((await settle(client.microblog.search(query, { hooks }))).error).toBeUndefined()
    expect(
      (await settle(client.microblog.search(query, { hooks }).withResponse())).value?.cached,
    ).toBeDefined()
    expect(service.arrivals).toHaveLength(1)
  })

  it.each([{ timeout: 300 }, { deadline: 300 }])(
    'keeps the paid body on the error when a hook hangs until %o',
    async (limit) => {
      service.script(() => ok())
      const { client } = cached()
      const hooks = { afterResponse: [() => new Promise<never>(() => {})] }
      const calls = [1, 2].map(() => client.microblog.search(query, { hooks, ...limit }).then())
      const { value } = await settle(Promise.allSettled(calls))
      for (const result of value ?? []) {
        const { reason } = result as PromiseRejectedResult
        expect(reason).toMatchObject({ name: 'TimeoutError', charged: 'yes', body: page(['1']) })
      }
      expect(client.credits).toMatchObject({ spent: 2, uncertain: 0, reserved: 0 })
      expect(service.arrivals).toHaveLength(1)
    },
  )
})

import { describe, expect, it, vi } from 'vitest'
import type { SocialSearch } from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { makeClient, ok, scriptedService } from '../../support/service.ts'

virtualTime()
const service = scriptedService()

/** A response that throws as soon as something is read from its headers. */
const throwing = (status: number): Response => {
  const get = (): never => {
    throw new Error('headers throw')
  }
  return { status, type: 'basic', body: null, headers: { get } } as never
}

/** An error that throws when it is read. */
const hostile = (): Error =>
  Object.defineProperty(new Error(), 'message', {
    get: () => {
      throw new Error('the message throws')
    },
  })

const facts = (client: SocialSearch): object => {
  const { spent, uncertain, reserved } = client.credits
  return { taken: client.status().slots.taken, spent, uncertain, reserved }
}

describe('a call that fails where nobody expects it ends its slot, and its money is accounted for', () => {
  it.each([
    ['the headers of an error status', () => throwing(500), 'ConfigurationError'],
    ['the headers of a success', () => throwing(200), 'ConfigurationError'],
    [
      'the error of fetch',
      (): never => {
        throw hostile()
      },
      'ConnectionError',
    ],
  ])('when %s throw as they are read', async (_, answer, name) => {
    const client = makeClient({ fetch: () => Promise.resolve().then(answer), limits: { perMinute: false } })
    for (const uncertain of [2, 4, 6]) {
      const { error } = await settle(client.microblog.search({ query: 'a' }))
      expect(error).toMatchObject({ name, charged: 'unknown', attempts: [{ charged: 'unknown' }] })
      await settle(Promise.resolve())
      expect(facts(client)).toEqual({ taken: 0, spent: 0, uncertain, reserved: 0 })
    }
  })

  it.each([
    ['a paid call', (client: SocialSearch) => client.microblog.search({ query: 'a' }), 2],
    ['a free one', (client: SocialSearch) => client.organization.usage(), 0],
    ['a write', (client: SocialSearch) => client.mentions.setState('men_1', {}), 0],
  ])('when the verdict itself throws, on %s', async (_, call, uncertain) => {
    const statuses = [503]
    const fetch = () =>
      Promise.resolve(statuses.length > 0 ? new Response(null, { status: statuses.pop()! }) : ok())
    const observed: unknown[] = []
    const onCall = ({ credits }: { credits: unknown }): void => void observed.push(credits)
    const client = makeClient({ fetch, observers: [{ onCall }], retry: { unknown: true } })
    const bug = new Error('no random numbers')
    vi.spyOn(Math, 'random').mockImplementation(() => {
      throw bug
    })
    const { error } = await settle(Promise.resolve(call(client)) as Promise<unknown>)
    vi.restoreAllMocks()
    expect(error).toBe(bug)
    expect(facts(client)).toEqual({ taken: 0, spent: 0, uncertain, reserved: 0 })
    expect(observed).toEqual([{ spent: 0, uncertain }])
    await settle(
      Promise.all([client.microblog.search({ query: 'a' }), client.microblog.search({ query: 'b' })]),
    )
    expect(facts(client)).toMatchObject({ taken: 0, spent: 4, reserved: 0 })
  })
})

describe('technews.search()', () => {
  it('delivers the page that was paid for when the params nest deeply', async () => {
    const body = { requestId: 'r', posts: [{ a: 1 }], meta: { hasMore: true, nextCursor: 'c' } }
    service.script(() => ok(body))
    for (const depth of [100, 3000, 4000]) {
      let deep = {}
      for (let i = 0; i < depth; i++) deep = { d: deep }
      const client = makeClient()
      const { value, error } = await settle(client.technews.search({ deep }))
      expect(error).toBeUndefined()
      expect(Object.keys(value!.next!)).toEqual(['deep', 'cursor'])
      expect(client.credits.spent).toBe(2)
    }
  })
})

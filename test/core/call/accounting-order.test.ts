import type { StandardSchemaV1 } from '@standard-schema/spec'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ResultCache } from '../../../src/extensions/cache/index.ts'
import type { ClientOptions, SocialSearch } from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { failure, makeClient, ok, rateLimited, scriptedService, unreachable } from '../../support/service.ts'
import { query } from '../../support/search.ts'

const service = scriptedService()
virtualTime()
afterEach(() => vi.restoreAllMocks())

const paid = { spent: 2, uncertain: 0, reserved: 0, taken: 0, wait: undefined }

/** What user code sees of a client at one moment. */
function seen(client: SocialSearch) {
  const { spent, uncertain, reserved } = client.credits
  const { slots, surfaces } = client.status()
  return { spent, uncertain, reserved, taken: slots.taken, wait: surfaces[0]?.wait?.reason }
}

/** A client, and what each piece of user code sees of it, by its name, at its first call. */
function spiedClient(options: Partial<ClientOptions> = {}) {
  const views: Record<string, ReturnType<typeof seen>> = {}
  const look = (name: string): void => void (views[name] ??= seen(client))
  const client: SocialSearch = makeClient({
    observers: [{ onAttempt: () => look('onAttempt'), onCall: () => look('onCall') }],
    ...options,
  })
  const schema: StandardSchemaV1 = {
    '~standard': { version: 1, vendor: 'test', validate: (value) => (look('schema'), { value }) },
  }
  return { client, views, schema }
}

describe('search()', () => {
  it('counts the credits of a page and frees its slot before any code of the user sees it', async () => {
    service.script(() => ok())
    const { client, views, schema } = spiedClient()
    await settle(client.microblog.search(query, { schema }))
    expect(views).toEqual({ schema: paid, onAttempt: paid, onCall: paid })
  })

  it('counts the credits of a page before its schema runs when the page is shared through a cache', async () => {
    service.script(() => ok())
    const { client, views, schema } = spiedClient({ cache: new ResultCache({ maxAge: 1000 }) })
    await settle(Promise.all([1, 2].map(() => client.microblog.search(query, { schema }))))
    expect(views).toEqual({ schema: paid, onAttempt: paid, onCall: paid })
    expect(service.arrivals).toHaveLength(1)
  })

  it('closes the surface and frees the slot of a 429 before an observer sees it', async () => {
    service.script(rateLimited(3), ok())
    const { client, views } = spiedClient()
    await service.search(client)
    const refused = { spent: 0, uncertain: 0, reserved: 2, taken: 0, wait: 'rate_limited' }
    expect(views).toMatchObject({ onAttempt: refused, onCall: paid })
  })

  it('counts a lost response as uncertain and frees its slot before an observer sees the error', async () => {
    service.script(unreachable)
    const { client, views } = spiedClient()
    await service.search(client)
    const lost = { spent: 0, uncertain: 2, reserved: 0, taken: 0, wait: undefined }
    expect(views).toEqual({ onAttempt: lost, onCall: lost })
  })

  it('waits for the end of a 429 without Retry-After, also when that is later than maxWait', async () => {
    vi.spyOn(Math, 'random').mockReturnValue(0.9)
    service.script(failure(429, 'rate_limited'), ok())
    const { error, ms } = await service.search({ retry: { maxWait: 500 } })
    expect([error, ms]).toEqual([undefined, 900])
  })
})

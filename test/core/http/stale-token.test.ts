import { describe, expect, it } from 'vitest'
import { pass, settle, virtualTime } from '../../support/clock.ts'
import { baseUrl, makeClient, ok } from '../../support/service.ts'

virtualTime()

/** A client with one slot, whose requests take 2 s each; `token` gets the number of its call. */
function oneSlot(token: (call: number) => Promise<string>) {
  let calls = 0
  const bearers: (string | null)[] = []
  const fetch = async ({ headers }: Request): Promise<Response> => {
    bearers.push(headers.get('authorization'))
    await new Promise((resolve) => setTimeout(resolve, 2000))
    return ok()
  }
  const auth = { token: () => token(++calls) }
  return { bearers, client: makeClient({ baseUrl, apiKey: undefined, auth, fetch, limits: { inFlight: 1 } }) }
}

describe('auth.token()', () => {
  it('ends with its call when it hangs after a wait for a slot, and keeps no other from the slot', async () => {
    const { bearers, client } = oneSlot((call) =>
      call === 2 ? new Promise<string>(() => {}) : Promise.resolve(`token_${call}`),
    )
    const abort = new AbortController()
    const first = client.microblog.search({ query: 'a' }).then()
    const second = client.microblog
      .search({ query: 'b' }, { signal: abort.signal })
      .catch((error: unknown) => error)
    await pass(3000)
    const reason = new Error('mine')
    abort.abort(reason)
    expect((await settle(second)).value).toBe(reason)
    await settle(first)
    await settle(client.microblog.search({ query: 'c' }))
    expect(bearers).toEqual(['Bearer token_1', 'Bearer token_3'])
  })

  const steps = [0, 1, 2, 3, 4, 5, 6]
  it.each([...steps.map((each) => [2020, each] as const), ...steps.map((each) => [2100, each] as const)])(
    'lets its call end at once when the token comes after %i ms, and the caller aborts it %i steps later',
    async (ms, steps) => {
      let give: (token: string) => void = () => {}
      const { bearers, client } = oneSlot((call) =>
        call === 1 ? Promise.resolve('token_1') : new Promise((resolve) => (give = resolve)),
      )
      const caller = new AbortController()
      const { signal } = caller
      const first = client.microblog.search({ query: 'a' }).then()
      const second = client.microblog.search({ query: 'b' }, { signal }).catch((error: unknown) => error)
      await pass(ms)
      give('token_2')
      for (let i = 0; i < steps; i++) await Promise.resolve()
      caller.abort(new Error('enough'))
      const { value, ms: left } = await settle(second)
      expect([value, left]).toEqual([signal.reason, 0])
      await settle(first)
      expect(bearers).toEqual(['Bearer token_1'])
    },
  )
})

import { describe, expect, it, vi } from 'vitest'
import { ResultCache } from '../../src/extensions/cache/index.ts'
import { otelObserver } from '../../src/extensions/otel/index.ts'
import { mapStore } from '../cache/cached.ts'
import { makeReceiver } from '../events/setup.ts'
import { makeOAuth, storeOf, tokenSet } from '../oauth/helpers.ts'
import { recordingTracer } from '../otel/recorder.ts'
import { post, setUp } from '../proxy/setup.ts'
import { makeClient, ok } from '../support/service.ts'
import { thrownValues } from '../support/thrown-values.ts'

describe.each(thrownValues)('user code that throws %s', (_, make) => {
  const fail = (): never => {
    throw make()
  }

  it.each(['get', 'set'])('costs no page when it is %s() of a store of answers', async (method) => {
    const cache = new ResultCache({ maxAge: 1000, store: { ...mapStore(), [method]: fail } })
    const client = makeClient({ cache, fetch: () => Promise.resolve(ok()) })
    await client.microblog.search({ query: 'rust' })
    expect(client.credits).toMatchObject({ spent: 2, uncertain: 0, reserved: 0 })
  })

  it.each(['setAttributes', 'end'])('costs no page when it is %s() of a span', async (method) => {
    const { tracer } = recordingTracer()
    const startSpan: typeof tracer.startSpan = (...args) =>
      Object.assign(tracer.startSpan(...args), { [method]: fail })
    const observers = [otelObserver({ tracer: { ...tracer, startSpan } })]
    const client = makeClient({ observers, fetch: () => Promise.resolve(ok()) })
    await client.microblog.search({ query: 'rust' })
    expect(client.credits).toMatchObject({ spent: 2, uncertain: 0, reserved: 0 })
  })

  it.each(['authorize', 'budget'])('gets an error body from the proxy when it is %s()', async (name) => {
    vi.spyOn(console, 'error').mockReturnValue()
    for (const onError of [fail, undefined]) {
      const response = await post(setUp({ onError, [name]: fail }).proxy)
      expect(await response.json()).toMatchObject({ requestId: expect.any(String), error: { charged: 'no' } })
    }
  })

  it.each(['verify', 'onEvent'])('gets a status of the receiver of events when it is %s()', async (name) => {
    const { post } = makeReceiver({ [name]: fail, onError: fail })
    expect(await post('{}')).toBeGreaterThanOrEqual(400)
  })

  it('fails with an error of this package when it is the fetch of OAuth', async () => {
    const oauth = await makeOAuth({ fetch: fail, store: storeOf(tokenSet({ expiresAt: Date.now() - 1 })) })
    await expect(oauth.session().token()).rejects.toHaveProperty('code', expect.any(String))
  })
})

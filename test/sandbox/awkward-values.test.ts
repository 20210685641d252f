import { describe, expect, it } from 'vitest'
import { isInstance, messageOf } from '../../src/lib/thrown.ts'
import { createSandbox } from '../../src/extensions/sandbox/index.ts'
import { awkwardValues } from '../support/awkward-values.ts'
import { search, searchRequest } from './helpers.ts'

/** Fails unless the work succeeds, or names what is wrong. */
async function expectNamed(field: string, work: () => unknown): Promise<void> {
  let told = field
  try {
    await work()
  } catch (error) {
    told = isInstance(error, TypeError) ? messageOf(error) : 'no TypeError'
  }
  expect(told).toContain(field)
}

describe.each(awkwardValues)('a sandbox that gets %s', (_, make) => {
  it('refuses it as an option by name, or works', async () => {
    for (const name of ['seed', 'posts', 'growth', 'latency', 'limits', 'content', 'keys']) {
      await expectNamed(name, () => createSandbox({ [name]: make() }))
      await expectNamed(name, () => createSandbox({ [name]: [make()] }))
    }
    await expectNamed('now', () => createSandbox({ now: make as () => number }))
    if (typeof make() !== 'function') await expectNamed('now', () => createSandbox({ now: make() as Date }))
    for (const name of ['inFlight', 'perMinute', 'windowMs', 'countRejected'])
      await expectNamed(name, () => createSandbox({ limits: { [name]: make() } }))
    for (const name of ['key', 'scopes', 'lost'])
      await expectNamed(name, () => createSandbox({ keys: [{ key: 'k', scopes: [], [name]: make() }] }))
  })

  it('refuses it in a fault by name, or sends the fault', async () => {
    const fields = ['operation', 'times', 'skip', 'delay', 'status', 'code', 'retryAfter', 'headers', 'body']
    for (const name of [...fields, 'reset', 'cut']) {
      const sandbox = createSandbox()
      await expectNamed(name, async () => {
        sandbox.inject({ status: 502, [name]: make() })
        expect((await sandbox.fetch(searchRequest(sandbox, { query: 'coffee' }))).status).toBeGreaterThan(0)
      })
    }
    await expectNamed('fault', () => createSandbox().inject(make() as object))
  })

  it('refuses it as content by name, or finds it', async () => {
    const sandbox = createSandbox()
    await expectNamed('publish()', () => sandbox.publish(make() as object))
    await expectNamed('microblog', () => sandbox.publish([make() as never]))
    for (const name of ['body', 'author', 'engagements'])
      await expectNamed('microblog', () => sandbox.publish([{ body: 'coffee', [name]: make() }]))
    for (const name of ['technews', 'mentions', 'professionalnet']) {
      await expectNamed(name, () => sandbox.publish({ [name]: [make()] }))
      await expectNamed(name, () => sandbox.publish({ [name]: [{ commentary: 'coffee', text: make() }] }))
    }
    expect((await search(sandbox, { query: 'coffee' })).status).toBe(200)
  })
})

import { describe, expect, it } from 'vitest'
import { TimeoutError } from '../../src/errors/index.ts'
import { AbortableLimiter } from './abortable-limiter.ts'
import { createRandom } from '../../src/extensions/sandbox/random.ts'
import { pass, virtualTime } from '../support/clock.ts'

virtualTime()

type Asked = Record<'at' | 'priority' | 'serviceMs', number> & { maxQueueWait: number | undefined }

/** How long each request has waited for its permit, in milliseconds; undefined if it was refused. */
async function waits(asked: readonly Asked[]): Promise<(number | undefined)[]> {
  const limiter = new AbortableLimiter({ inFlight: 2, perMinute: 4, windowMs: 2000 })
  const start = performance.now()
  const times = asked.map(async ({ at, priority, serviceMs, maxQueueWait }) => {
    await new Promise((resolve) => setTimeout(resolve, at))
    const sendBy = maxQueueWait && performance.now() + maxQueueWait
    try {
      const permit = await limiter.acquire({ priority, sendBy })
      setTimeout(() => {
        permit.answered()
        permit.end()
      }, serviceMs)
      permit.sent()
      return performance.now() - start - at
    } catch (error) {
      expect(error).toBeInstanceOf(TimeoutError)
      return undefined
    }
  })
  const all = Promise.all(times)
  await pass(60_000)
  return all
}

describe('acquire()', () => {
  it.each(Array.from({ length: 6 }, (_, seed) => seed))(
    'refuses no request that could be granted within its maxQueueWait, seed %i',
    async (seed) => {
      const { next } = createRandom(`known wait ${seed}`)
      const below = (limit: number) => Math.floor(next() * limit)
      const asked = Array.from({ length: 30 }, (): Asked => ({
        ...{ at: below(6000), priority: below(2), serviceMs: 5 + below(300) },
        maxQueueWait: next() < 0.6 ? 500 + below(9000) : undefined,
      })).sort((a, b) => a.at - b.at)
      const granted = await waits(asked)
      const refused = granted.flatMap((wait, index) => (wait === undefined ? [index] : []))
      for (const index of refused.slice(0, 3)) {
        const patient = asked.slice(0, index + 1)
        const { maxQueueWait = 0 } = patient[index]!
        patient[index] = { ...patient[index]!, maxQueueWait: undefined }
        expect((await waits(patient))[index]).toBeGreaterThan(maxQueueWait)
      }
      expect(refused.length).toBeGreaterThan(0)
    },
  )

  it('does not refuse a call that a fast answer to an earlier request lets go in time', async () => {
    const patient = (at: number) => ({ at, priority: 0, serviceMs: 100, maxQueueWait: undefined })
    // The third request is unanswered when the last one asks: as far as is known, it takes another second to arrive.
    const asked = [...[0, 0, 100, 100, 101, 101].map(patient), { ...patient(102), maxQueueWait: 2500 }]
    expect((await waits(asked))[6]).toBeLessThan(2500)
  })
})

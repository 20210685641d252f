import { describe, expect, it } from 'vitest'
import { limiterOfProcess } from '../../src/limits/process-limiter.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { collectGarbage } from '../support/garbage.ts'
import { queueRequest } from '../support/limiter.ts'

virtualTime()

const baseUrl = 'https://api.example/v1'

describe('limiterOfProcess()', () => {
  it('returns one limiter for each owner and base URL', () => {
    const provider = { token: () => 'a' }
    for (const owner of ['a', provider]) {
      expect(limiterOfProcess(owner, baseUrl)).toBe(limiterOfProcess(owner, baseUrl))
      expect(limiterOfProcess(owner, baseUrl)).not.toBe(limiterOfProcess(owner, 'https://other.example/v1'))
    }
    expect(limiterOfProcess('a', baseUrl)).not.toBe(limiterOfProcess('b', baseUrl))
  })

  it.each(['a label', { token: () => 'a' }])(
    'refuses other limits than those of an earlier client of %o',
    (owner) => {
      limiterOfProcess(owner, 'https://limited.example/v1')
      expect(() => limiterOfProcess(owner, 'https://limited.example/v1', { perMinute: 30 })).toThrow(
        'limits.perMinute is 20 in another client of this organization, got 30',
      )
    },
  )

  it('counts the sends of a client that no longer exists', async () => {
    for (let sends = 0; sends < 20; sends++) {
      const lease = await limiterOfProcess('busy', baseUrl).acquire(queueRequest({}))
      lease.sent()
      lease.release()
    }
    await pass(30_000)
    collectGarbage()
    const { ms } = await settle(limiterOfProcess('busy', baseUrl).acquire(queueRequest({})))
    expect(ms).toBeGreaterThanOrEqual(30_000)
  })
})

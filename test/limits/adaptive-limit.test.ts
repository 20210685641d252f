import { expect, it, vi } from 'vitest'
import { AdaptiveLimit } from '../../src/limits/adaptive-limit.ts'
import { SurfacePace } from '../../src/limits/surface-pace.ts'
import { pass, virtualTime } from '../support/clock.ts'

virtualTime()

it('refused() takes one request from the allowance for each short 429 in a row but the first', async () => {
  const adaptive = new AdaptiveLimit(20, 60_000)
  const allowances = [1, 2, 3].map(() => {
    adaptive.refused(5, 1000)
    return adaptive.allowance
  })
  expect(allowances).toEqual([20, 19, 18])
  expect(adaptive.gapMs).toBeCloseTo(60_000 / 18 / 2)
  adaptive.accepted()
  adaptive.refused(5, 1000)
  expect(adaptive.allowance).toBe(18)
  // It recovers in eight doubling steps a window, from the end of the 429.
  await pass(1000 + 60_000 / 8)
  expect(adaptive.allowance).toBe(19)
})

it.each([
  [20, [18, 2, 2], [18, 18 * 0.7, 18 * 0.7 * 0.7]],
  [2, [0, 0], [2 * 0.7, 1]],
])(
  'refused() takes an allowance of %i to the requests sent, by at most three tenths and not below one, when a 429 announces a full window',
  (limit, sends, expected) => {
    const adaptive = new AdaptiveLimit(limit, 60_000)
    const allowances = sends.map((sent) => {
      adaptive.refused(sent, 30_000)
      return adaptive.allowance
    })
    expect(allowances).toEqual(expected)
  },
)

const limits = { inFlight: 2, perMinute: 20, windowMs: 60_000 }

it('closeFor() leaves as many requests a minute as were accepted before the 429', async () => {
  const pace = new SurfacePace(limits, 20)
  for (let sends = 0; sends < 17; sends++) {
    pace.add({ at: performance.now(), answered: Infinity })
    await pass(1000)
  }
  // The last one was refused.
  pace.closeFor(30_000)
  await pass(30_000)
  // Sixteen others are counted until the second one is a minute old: it arrived after a second at the latest.
  expect(pace.wait()).toBe(1000 + 1000 + 60_020 - 47_000)
})

it('end() forgets earlier 429s once a request is accepted, and not when one was never sent', async () => {
  vi.spyOn(Math, 'random').mockReturnValue(0.5)
  const pace = new SurfacePace(limits, 20)
  const waits: number[] = []
  for (const unsent of [true, false, true]) {
    pace.closeFor(1000)
    waits.push(pace.wait())
    await pass(5000)
    const request = { at: performance.now(), answered: Infinity }
    pace.add(request)
    pace.end(request, { unsent })
    await pass(5000)
  }
  expect(waits).toEqual([1000, 1500, 1000])
})

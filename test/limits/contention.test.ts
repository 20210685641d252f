import { expect, it } from 'vitest'
import { Contention } from '../../src/limits/surface-pace.ts'
import { pass, virtualTime } from '../support/clock.ts'

virtualTime()

it('refused() takes one request from the allowance for each momentary 429 in a row but the first', async () => {
  const contention = new Contention(20, 60_000)
  const allowances = [1, 2, 3].map(() => {
    contention.refused(5, 1000)
    return contention.allowance
  })
  expect(allowances).toEqual([20, 19, 18])
  expect(contention.gapMs).toBeCloseTo(60_000 / 18 / 2)
  contention.accepted()
  contention.refused(5, 1000)
  expect(contention.allowance).toBe(18)
  // It recovers in eight doubling steps a window, from the end of the 429.
  await pass(1000 + 60_000 / 8)
  expect(contention.allowance).toBe(19)
})

it('refused() takes the allowance to the requests sent, by at most three tenths, when a 429 announces a full window', () => {
  const contention = new Contention(20, 60_000)
  const allowances = [18, 2, 2].map((sent) => {
    contention.refused(sent, 30_000)
    return contention.allowance
  })
  expect(allowances).toEqual([18, 18 * 0.7, 18 * 0.7 * 0.7])
})

import { expect, it, vi } from 'vitest'
import { within } from '../../src/lib/abort.ts'
import { abortIn, settle, virtualTime } from '../support/clock.ts'

virtualTime()

const hang = (): Promise<never> => new Promise(() => {})

it('within() does not call late() when it is left in the moment in which the time is up', async () => {
  const late = vi.fn()
  const reason = new Error('left')
  const result = within(100, hang, late, abortIn(100, reason))
  // At once, without a pause in which the result could settle.
  vi.advanceTimersByTime(100)
  await expect(result).rejects.toBe(reason)
  expect(late).not.toHaveBeenCalled()
})

it('within() aborts the work when it is left, with the reason', async () => {
  const reason = new Error('left')
  const signals: AbortSignal[] = []
  const work = (signal: AbortSignal): Promise<never> => {
    signals.push(signal)
    return hang()
  }
  await settle(within(100, work, () => {}, abortIn(50, reason)))
  expect(signals[0]?.reason).toBe(reason)
})

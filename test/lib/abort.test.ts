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

it('within() takes what came in time when its process was stopped until later', async () => {
  const arriving = (): Promise<string> => new Promise((resolve) => setTimeout(resolve, 300, 'in time'))
  const results = [arriving, hang].map((work) => within(100, work, () => 'late'))
  // The process stands still for 5 s: a timer is due before it can read.
  const stopped = performance.now() + 5000
  vi.spyOn(performance, 'now').mockReturnValue(stopped)
  const { value } = await settle(Promise.all(results))
  vi.restoreAllMocks()
  expect(value).toEqual(['in time', 'late'])
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

import { expect, it, vi } from 'vitest'
import { within } from '../../src/lib/abort.ts'
import { settle, virtualTime } from '../support/clock.ts'

virtualTime()

it('within() takes what came in time when its process was stopped until later', async () => {
  const arriving = (): Promise<string> => new Promise((resolve) => setTimeout(resolve, 1300, 'in time'))
  const hang = (): Promise<never> => new Promise(() => {})
  const results = [arriving, hang].map((work) => within(1000, work, () => 'late'))
  // The process stands still for 5 s: a timer is due before it can read.
  const stopped = performance.now() + 5000
  vi.spyOn(performance, 'now').mockReturnValue(stopped)
  const { value } = await settle(Promise.all(results))
  vi.restoreAllMocks()
  expect(value).toEqual(['in time', 'late'])
})

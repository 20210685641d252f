import { afterEach, expect, it, vi } from 'vitest'
import { sleep } from '../../src/lib/time.ts'

afterEach(() => vi.restoreAllMocks())

it('sleep() resolves, and leaves no listener, when its time has passed before it could wait', async () => {
  const { signal } = new AbortController()
  const listeners = new Set<unknown>()
  vi.spyOn(signal, 'addEventListener').mockImplementation((_, listener) => void listeners.add(listener))
  vi.spyOn(signal, 'removeEventListener').mockImplementation((_, listener) => void listeners.delete(listener))
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => (now += 5))
  await sleep(1, signal)
  expect(listeners.size).toBe(0)
})

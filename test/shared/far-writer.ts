import { expect } from 'vitest'
import type { SharedStore } from '../../src/extensions/shared/index.ts'
import { realTime } from '../support/real-time.ts'

/** Milliseconds for which each command of the process that is far away is on its way. */
export const farMs = 100

/** A process that is far away must change a text, although a near one changes it all the time. */
export async function winsFromAfar(near: SharedStore, far: SharedStore): Promise<void> {
  // It need not wait for the disk.
  const count = (value = '0') => ({ value: String(Number(value) + 1), keepMs: 60_000, result: 0 })
  const over = new AbortController()
  let times = 0
  const busy = (async () => {
    for (; !over.signal.aborted; times++) await near.update('far', count)
  })()
  const changed = far.update('far', count).then(() => 'changed')
  const outcome = await Promise.race([changed, realTime.pass(3000).then(() => 'lost each time')])
  over.abort()
  await busy
  expect(outcome).toBe('changed')
  await changed
  expect(await near.update('far', (value) => ({ result: value }))).toBe(String(times + 1))
}

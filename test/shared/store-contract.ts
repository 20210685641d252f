import { afterEach, beforeAll, beforeEach, describe, it, vi } from 'vitest'
import type { SharedStore } from '../../src/extensions/shared/index.ts'
import { pass, useVirtualTime } from '../support/clock.ts'
import { realTime } from '../support/real-time.ts'
import { promises } from './store-promises.ts'

/**
 * The promises of every store.
 *
 * @param open Connects like another process.
 * @param hasNotices Whether the store has `watch`.
 * @param isRemote Whether the store is in another process, whose time is real.
 */
export function storeContract(
  name: string,
  open: () => SharedStore | Promise<SharedStore>,
  { hasNotices = true, isRemote = false } = {},
): void {
  const kept = Object.entries(promises).filter(([title]) => hasNotices || !title.startsWith('watch()'))
  describe(`${name} as a store`, () => {
    let stores: [SharedStore, SharedStore, SharedStore]
    beforeAll(async () => void (stores = await Promise.all([open(), open(), open()])))
    if (!isRemote) {
      beforeEach(useVirtualTime)
      afterEach(() => void vi.useRealTimers())
    }
    it.each(kept)('%s', (title, promised) =>
      promised(stores, `contract-1:${title} ${crypto.randomUUID()}`, isRemote ? realTime.pass : pass),
    )
  })
}

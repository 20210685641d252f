import { beforeAll, describe, it } from 'vitest'
import type { SharedStore } from '../../src/extensions/shared/index.ts'
import { promises } from './store-promises.ts'

/**
 * The promises of every store.
 *
 * @param open Connects like another process.
 * @param hasNotices Whether the store has `watch`.
 */
export function storeContract(
  name: string,
  open: () => SharedStore | Promise<SharedStore>,
  hasNotices = true,
): void {
  const kept = Object.entries(promises).filter(([title]) => hasNotices || !title.startsWith('watch()'))
  describe(`${name} as a store`, () => {
    let stores: [SharedStore, SharedStore, SharedStore]
    beforeAll(async () => void (stores = await Promise.all([open(), open(), open()])))
    it.each(kept)('%s', (title, promised) => promised(stores, `contract-1:${title} ${Math.random()}`))
  })
}

import { tabsStore } from 'social-search-sdk/tabs'
import { meetForeignNotices } from '../../shared/foreign-notices.ts'
import { promises } from '../../shared/store-promises.ts'

const stores = [tabsStore(), tabsStore(), tabsStore()] as const
const heard: (string | undefined)[] = []

const app = {
  heard,
  keep: (title: string) => promises[title]!(stores, `contract-1:${title}`),
  meetForeignNotices: () =>
    meetForeignNotices([stores[0], stores[1]], sendAnything, 5_000_000).then(() => 'met'),
  listen: (key: string) => void stores[0].watch!(key, (notice) => heard.push(notice)),
  /** Counts so many times, with as many notices. */
  async count(key: string, times: number): Promise<void> {
    for (let i = 0; i < times; i++)
      await stores[0].update(key, (value) => {
        const count = String(Number(value ?? 0) + 1)
        return { value: count, notice: count, result: undefined }
      })
  },
}

/** Other scripts of a page can send any value, not only texts. */
function sendAnything(key: string, text: string): void {
  const channel = new BroadcastChannel(`social-search-sdk/${key}`)
  const values = [text, { text }, [text], 7, null, undefined, new ArrayBuffer(8), new Map([[text, text]])]
  for (const value of values) channel.postMessage(value)
  channel.close()
}

export type StoreApp = typeof app
Object.assign(globalThis, { app })

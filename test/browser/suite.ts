import { afterAll, afterEach, beforeAll, beforeEach, describe, expect } from 'vitest'
import { chromiumEngine } from './chromium.ts'
import type { Engine, Tab } from './engines/engine.ts'
import { firefoxEngine } from './engines/firefox.ts'
import { webkitEngine } from './engines/webkit.ts'

const engines = { Chromium: chromiumEngine, Firefox: firefoxEngine, WebKit: webkitEngine }
type EngineName = keyof typeof engines

/** Of `pages/complaints.ts`. */
declare const complaints: string[]

/** Pages in a browser. */
export interface Pages {
  readonly name: EngineName
  open(url: string): Promise<Tab>
}

/** Defines tests for each browser. Each of their pages must have nothing to complain about. */
export function inEachBrowser(define: (pages: Pages) => void): void {
  describe.each(Object.keys(engines) as EngineName[])('in %s', (name) => {
    let engine: Engine | undefined
    let tabs: Tab[] = []
    beforeAll(async () => void (engine = await engines[name]()), 180_000)
    afterAll(() => engine?.close())
    beforeEach(() => void (tabs = []))
    afterEach(async () => {
      for (const tab of tabs) expect(await tab.evaluate(() => complaints)).toEqual([])
    })
    define({
      name,
      async open(url) {
        const tab = await engine!.open(url)
        tabs.push(tab)
        return tab
      },
    })
  })
}

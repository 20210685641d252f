import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Row, complaints } from '../canary/probe.ts'
import type { Canary } from './pages/canary.ts'
import { type Site, serveSite } from './site.ts'
import { inEachBrowser } from './suite.ts'

declare const canary: Canary

let site: Site
beforeAll(async () => void (site = await serveSite('canary.ts')))
afterAll(() => site.close())

inEachBrowser(({ open }) => {
  it('no surface shows a secret', async () => {
    const page = await open(site.origin)
    const rows = await page.evaluate(() => canary.run())
    expect(rows).toBeInstanceOf(Array)
    expect(complaints(rows as Row[])).toEqual([])
  })
})

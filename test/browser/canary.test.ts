import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Row } from '../canary/probe.ts'
import { complaints, readTable, renderTable } from '../canary/table.ts'
import type { Canary } from './pages/canary.ts'
import { type Site, serveSite } from './site.ts'
import { inEachBrowser } from './suite.ts'

declare const canary: Canary

const table = '../canary/canary.md'
const columns = readTable(readFileSync(new URL(table, import.meta.url), 'utf8'))
let site: Site
beforeAll(async () => void (site = await serveSite('canary.ts')))
afterAll(() => site.close())

inEachBrowser(({ name, open }) => {
  it('no surface shows a secret', async () => {
    const page = await open(site.origin)
    const rows = await page.evaluate(() => canary.run())
    expect(rows).toBeInstanceOf(Array)
    expect(complaints(rows as Row[])).toEqual([])
    columns.set(name, rows as Row[])
  })
})

it('test/canary/canary.md says so', async () => {
  await expect(renderTable(columns)).toMatchFileSnapshot(table)
})

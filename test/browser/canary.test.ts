import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import type { Row } from '../canary/probe.ts'
import { complaints, readTable, renderTable } from '../canary/table.ts'
import type { Canary } from './pages/canary.ts'
import { chromiumTabs } from './suite.ts'

declare const canary: Canary

const tabs = chromiumTabs('canary.ts')
const table = '../canary/canary.md'

it('no surface in Chromium shows a secret, and test/canary/canary.md says so', async () => {
  const page = await tabs.open()
  const rows = await page.evaluate(() => canary.run())
  expect(rows).toBeInstanceOf(Array)
  expect(complaints(rows as Row[])).toEqual([])
  const columns = readTable(readFileSync(new URL(table, import.meta.url), 'utf8'))
  columns.set('Chromium', rows as Row[])
  await expect(renderTable(columns)).toMatchFileSnapshot(table)
})

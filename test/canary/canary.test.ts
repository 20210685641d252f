import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { entryPoints } from '../../scripts/entry-points.ts'
import * as cache from '../../src/extensions/cache/index.ts'
import * as catalog from '../../src/extensions/catalog/index.ts'
import * as events from '../../src/extensions/events/index.ts'
import * as root from '../../src/index.ts'
import * as oauth from '../../src/extensions/oauth/index.ts'
import * as otel from '../../src/extensions/otel/index.ts'
import * as proxy from '../../src/extensions/proxy/index.ts'
import * as shared from '../../src/extensions/shared/index.ts'
import * as sandbox from '../../src/extensions/sandbox/index.ts'
import { deep } from './deep.ts'
import { type Row, probe } from './probe.ts'
import { secrets } from './secrets.ts'
import { complaints, readTable, renderTable } from './table.ts'

const sdk = { root, cache, catalog, events, oauth, otel, proxy, shared, sandbox }
/** As an object prints itself, and with all its fields. */
const show = (value: unknown): string =>
  inspect(value, deep) + inspect(value, { ...deep, customInspect: false })
const page = readFileSync(new URL('./canary.md', import.meta.url), 'utf8')
const pathOf = (source: string): string => fileURLToPath(new URL(`../../${source}`, import.meta.url))

describe('a secret', () => {
  it('does not show on any surface, and the table in docs lists the same surfaces', async () => {
    const rows = await probe(sdk, show)
    expect(complaints(rows)).toEqual([])
    const plain = rows.map(({ surface, found }) => ({ surface, found }))
    expect(readTable(page).get('Node 24')).toEqual(plain)
  })

  it('is searched for in each error class that an entry point exports', async () => {
    const classes = new Set<string>()
    for (const { source } of entryPoints) {
      for (const [name, value] of Object.entries((await import(/* @vite-ignore */ pathOf(source))) as object))
        if (typeof value === 'function' && value.prototype instanceof Error) classes.add(name)
    }
    // The base of the others: only its subclasses are raised.
    classes.delete('SocialSearchError')
    expect(classes.size).toBeGreaterThan(20)
    const surfaces = new Set(
      readTable(page)
        .get('Node 24')
        ?.map(({ surface }) => surface),
    )
    expect([...classes].filter((name) => !surfaces.has(name))).toEqual([])
  })

  it('is found when one surface leaks it', async () => {
    class Leaky extends root.CreditBudget {
      toJSON() {
        return { ...this.summary(), key: secrets.apiKey }
      }
    }
    const rows = await probe({ ...sdk, root: { ...root, CreditBudget: Leaky } }, show)
    expect(complaints(rows)).toEqual(['the ledger and a budget shows a secret'])
  })
})

describe('the table', () => {
  it('has only zeros, except for its controls, on every runtime', () => {
    const columns = readTable(page)
    expect([...columns.keys()]).toEqual(
      expect.arrayContaining(['Node 22', 'Node 24', 'Node 26', 'Deno', 'Bun', 'Chromium']),
    )
    for (const rows of columns.values()) {
      const judged: Row[] = rows.map((row) => ({
        ...row,
        ...(row.surface.startsWith('control: ') && { control: true }),
      }))
      expect(complaints(judged)).toEqual([])
    }
    expect(renderTable(columns)).toBe(page)
  })
})

import { fileURLToPath } from 'node:url'
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
import { complaints, probe } from './probe.ts'
import { secrets } from './secrets.ts'
import { show } from './show.ts'

const sdk = { root, cache, catalog, events, oauth, otel, proxy, shared, sandbox }
const pathOf = (source: string): string => fileURLToPath(new URL(`../../${source}`, import.meta.url))

describe('a secret', () => {
  it('does not show on any surface, such as an error of each class that an entry point exports', async () => {
    const rows = await probe(sdk, show)
    expect(complaints(rows)).toEqual([])
    const classes = new Set<string>()
    for (const { source } of entryPoints) {
      for (const [name, value] of Object.entries((await import(/* @vite-ignore */ pathOf(source))) as object))
        if (typeof value === 'function' && value.prototype instanceof Error) classes.add(name)
    }
    // The base of the others: only its subclasses are raised.
    classes.delete('SocialSearchError')
    expect(classes.size).toBeGreaterThan(20)
    const surfaces = rows.map(({ surface }) => surface)
    expect([...classes].filter((name) => !surfaces.includes(name))).toEqual([])
  })

  it('is found when one surface leaks it', async () => {
    class Leaky extends root.CreditBudget {
      toJSON() {
        return { ...this.summary(), key: secrets.apiKey }
      }
    }
    const rows = await probe({ ...sdk, root: { ...root, CreditBudget: Leaky } }, show)
    expect(new Set(complaints(rows))).toEqual(new Set(['the ledger and a budget shows a secret']))
  })
})

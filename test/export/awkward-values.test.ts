import { describe, expect, it } from 'vitest'
import { streamOf, toCsv, toJsonl, toParquet, unique } from '../../src/extensions/export/index.ts'
import { endOf } from '../support/awkward-functions.ts'
import { awkwardValues } from '../support/awkward-values.ts'

/** Records as a schema of the user may return them. */
async function* walkOf(...records: unknown[]): AsyncGenerator {
  for (const record of records) yield await Promise.resolve({ record })
}

const exported = (value: unknown, into: TransformStream<unknown, Uint8Array>) =>
  endOf(() => new Response(streamOf(walkOf(value)).pipeThrough(into)).bytes())

/** A revoked Proxy cannot be asked whether it is a list, and no page has one. */
const values = awkwardValues.filter(([name]) => !name.includes('revoked'))

describe('an export of a record with', () => {
  it.each(values)('%s succeeds, or fails with an error of this package', async (_, make) => {
    for (const into of [
      () => toJsonl(),
      () => toCsv({ fields: ['record', 'record.name'] }),
      () => toParquet({ fields: ['record'] }),
    ])
      for (const value of [make(), [make()]]) expect(await exported(value, into())).not.toContain('TypeError')
  })
})

describe('unique() of', () => {
  it.each(awkwardValues)('%s fails with an error of this package', async (_, make) => {
    const items = {
      async *[Symbol.asyncIterator]() {
        yield await Promise.resolve({ id: make() })
      },
    }
    expect(await endOf(() => unique(items).next())).not.toContain('TypeError')
  })
})

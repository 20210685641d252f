import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import type { Operation } from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import { languageServiceFor } from '../support/typescript.ts'

/** What stands in the parentheses: what picks the signature with the option `schema`, where there is one, and nothing. */
function argumentsOf({ id, method, path }: Operation): string[] {
  if (id === 'openapi') return ['']
  const takesId = path.includes('{id}')
  const needed = [...(takesId ? ["'id'"] : []), ...(takesId && method === 'GET' ? [] : ['params'])]
  return [[...needed, '{ schema }'].join(', '), needed.join(', ')]
}

/** A price as a hover names it; empty for a free call. */
const priceOf = ({ price }: Operation) =>
  price.kind === 'free' ? '' : `${price.credits} credit${price.credits === 1 ? ' ' : 's'}`

const calls = (operations as readonly Operation[]).flatMap((operation) =>
  argumentsOf(operation).map((args) => ({
    call: `client.${operation.id}(${args})`,
    names: `${operation.method} ${operation.path}`,
    price: priceOf(operation),
  })),
)
const others = [
  { call: 'new SocialSearch(options)', names: 'one organization' },
  { call: 'SocialSearch.fromEnv()', names: 'SOCIAL_SEARCH_API_KEY' },
  { call: 'client.withOptions(options)', names: 'timeout' },
  { call: 'client.creditRates()', names: 'GET /openapi.json' },
  { call: 'client.close()', names: 'ClosedError' },
  { call: 'new CreditBudget(5)', names: 'credits' },
  { call: 'new CatalogClient(options)', names: 'catalog' },
  { call: 'catalog.planets.create({})', names: 'POST /planets' },
  { call: 'catalog.planets.update(1, {})', names: 'PUT /planets/{planetId}' },
  { call: 'catalog.celestialBodies.create({})', names: 'POST /celestial-bodies' },
]

const lines = [
  "import type { StandardSchemaV1 } from '@standard-schema/spec'",
  "import { CreditBudget, SocialSearch } from '../src/index.ts'",
  "import { CatalogClient } from '../src/extensions/catalog/index.ts'",
  "import { createSandbox } from '../src/extensions/sandbox/index.ts'",
  'declare const client: SocialSearch, catalog: CatalogClient, schema: StandardSchemaV1',
  'declare const params: any, options: any',
  ...[...calls, ...others].map(({ call }) => call),
  "new SocialSearch({ baseUrl: '' })",
  "createSandbox().inject({ operation: 'mentions.list' })",
]
const text = lines.join('\n')

const { service, pathOf, errorsOf } = languageServiceFor(new Map([['hover.ts', text]]))
const file = pathOf('hover.ts')

// The first answer of the service compiles the project.
describe('the hover text of a call', { timeout: 120_000 }, () => {
  it('is tested with calls that compile', () => {
    expect(errorsOf('hover.ts')).toEqual([])
  })

  it.each(calls.filter(({ price }) => price !== ''))('$call: names its price on hover', ({ call, price }) => {
    const hover = service.getQuickInfoAtPosition(file, text.indexOf(`\n${call}`) + call.indexOf('('))
    const shown = ts.displayPartsToString(hover?.documentation).replaceAll(/\s+/g, ' ')
    expect(shown).toContain(`cost ${price}`.replace('cost', /costs?/i.exec(shown)?.[0] ?? 'cost'))
  })

  it.each([...calls, ...others])('$call: names $names on hover and while it is typed', ({ call, names }) => {
    const open = text.indexOf(`\n${call}`) + 1 + call.indexOf('(')
    const hover = service.getQuickInfoAtPosition(file, open - 1)
    expect(ts.displayPartsToString(hover?.documentation)).toContain(names)
    const help = service.getSignatureHelpItems(file, open + 1, {})
    expect(help?.items.length).toBeGreaterThan(0)
    for (const { documentation } of help?.items ?? [])
      expect(ts.displayPartsToString(documentation)).toContain(names)
  })
})

/** What an editor offers after a part of the text. */
const offeredAfter = (part: string): string[] =>
  service
    .getCompletionsAtPosition(file, text.indexOf(part) + part.length, {})
    ?.entries.map(({ name }) => name) ?? []

describe('the completion of an editor', { timeout: 120_000 }, () => {
  it('offers options, and no methods of a transport, in new SocialSearch({ })', () => {
    const offered = offeredAfter('new SocialSearch({')
    expect(offered).toEqual(expect.arrayContaining(['apiKey', 'budget', 'timeout']))
    for (const name of ['close', 'credits', 'status', 'withOptions']) expect(offered).not.toContain(name)
  })

  it('offers the ids of operations to inject() of a sandbox', () => {
    expect(offeredAfter("inject({ operation: '").sort()).toEqual(operations.map(({ id }) => id).sort())
  })
})

import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import { entryPoints } from '../../scripts/entry-points.ts'
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

/** What people write at first, and what the first line of the compiler says of it. */
const mistakes: Readonly<Record<string, string>> = {
  'client.microblog.search({ query }).posts':
    "Property 'posts' does not exist on type 'PagedCall<MicroblogSearchPage<MicroblogPost>",
  'client.microblog.search({ query }).toArray()': 'Expected 1 arguments, but got 0',
  'client.microblog.search(query)':
    "Argument of type 'string' is not assignable to parameter of type 'MicroblogSearchParams'",
  'client.microblog.search({ q: query })': "'q' does not exist in type 'MicroblogSearchParams'",
  "client.microblog.search({ query, category: 'latest' })": 'Did you mean \'"Latest"\'?',
  "client.microblog.search({ query, count: '20' })": "Type 'string' is not assignable to type 'number'",
  'client.microblog.search({ query, filters: { since: new Date() } })':
    "Type 'Date' is not assignable to type 'string'",
  'client.microblog.search({ query, signal })': "'signal' does not exist in type 'MicroblogSearchParams'",
  'client.technews.search({ query, budget })': "Type 'CreditBudget' is not assignable to type 'undefined'",
  'client.microblog.search({ query }, { timout: 5000 })': "Did you mean to write 'timeout'?",
  'client.professionalnet.posts.search({ query }).then(({ posts }) => posts[0]!.id)':
    "Property 'id' does not exist on type 'ProfessionalnetPost'",
  "client.mentions.get({ id: 'men_1' })": "is not assignable to parameter of type 'string'",
  "client.mentions.setState('men_1')": 'Expected 2-3 arguments, but got 1',
  "new SocialSearch({ apiKey: 'key' })": "is not assignable to parameter of type 'ClientOptions'",
  "new CreditBudget(5, { every: 'week' })": "Type '\"week\"' is not assignable to type 'Period | undefined'",
  "if (isSocialSearchError(error) && error.code === 'budget_exceeded') throw error": 'have no overlap',
}

const head = [
  "import { CreditBudget, SocialSearch, isSocialSearchError } from '../src/index.ts'",
  'declare const client: SocialSearch, budget: CreditBudget, signal: AbortSignal, query: string, error: unknown',
]
const programs = Object.keys(mistakes)
const nameOf = (code: string) => `program-${programs.indexOf(code)}.ts`
const imports = entryPoints.map(({ source }) => `import '../${source}'`)
const narrowed = `import { isSocialSearchError } from '../src/index.ts'
declare const error: unknown
if (isSocialSearchError(error)) error.code`
// They are one project, which the first answer compiles.
const { service, pathOf, errorsOf } = languageServiceFor(
  new Map([
    ['hover.ts', text],
    ...programs.map((code) => [nameOf(code), [...head, code].join('\n')] as const),
    ['everything.ts', imports.join('\n')],
    ['narrowed.ts', narrowed],
  ]),
)
const file = pathOf('hover.ts')

describe('the hover text of a call', () => {
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
const offeredAfter = (part: string): string[] => {
  const offered = service.getCompletionsAtPosition(file, text.indexOf(part) + part.length, {})
  return offered?.entries.map(({ name }) => name) ?? []
}

describe('the completion of an editor', () => {
  it('offers options, and no methods of a transport, in new SocialSearch({ })', () => {
    const offered = offeredAfter('new SocialSearch({')
    expect(offered).toEqual(expect.arrayContaining(['apiKey', 'budget', 'timeout']))
    for (const name of ['close', 'credits', 'status', 'withOptions']) expect(offered).not.toContain(name)
  })

  it('offers the ids of operations to inject() of a sandbox', () => {
    expect(offeredAfter("inject({ operation: '").sort()).toEqual(operations.map(({ id }) => id).sort())
  })
})

describe('the compiler', () => {
  it.each(Object.entries(mistakes))('says in its first line what is wrong: %s', (code, said) => {
    const [error = '', ...others] = errorsOf(nameOf(code))
    expect(others).toEqual([])
    expect(error.split('\n', 1).join('')).toContain(said)
  })
})

const program = service.getProgram()!
const checker = program.getTypeChecker()

/** What an editor shows of a symbol: its text, and that of its tags. */
function shownOf(symbol: ts.Symbol): string[] {
  const tags = symbol.getJsDocTags(checker).filter(({ name }) => name !== 'example')
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker))
  return [text, ...tags.map(({ name, text }) => `@${name} ${ts.displayPartsToString(text)}`)]
}

/** The members that users call, read or pass: those of classes, options and params. TanStack documents its own options. */
function membersOf(symbol: ts.Symbol): ts.Symbol[] {
  const isClass = (symbol.flags & ts.SymbolFlags.Class) !== 0
  if (!isClass && !/(?<!Search)(Options|Params|Filters)$/.test(symbol.name)) return []
  const members = checker.getPropertiesOfType(checker.getDeclaredTypeOfSymbol(symbol))
  return members.filter(({ name, declarations = [] }) => {
    const [declared] = declarations
    const isOurs = declared?.getSourceFile().fileName.includes('/src/')
    const isHidden =
      declared && ts.getCombinedModifierFlags(declared) & ts.ModifierFlags.NonPublicAccessibilityModifier
    return isOurs && !isHidden && !/^(__|#|toJSON$|name$|then$|catch$|finally$)/.test(name)
  })
}

const all = entryPoints.flatMap(({ path, source }) => {
  const file = program.getSourceFile(pathOf(`../${source}`).replace('/test/..', ''))!
  return checker.getExportsOfModule(checker.getSymbolAtLocation(file)!).flatMap((symbol) => {
    const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol
    const isShown = target.flags & (ts.SymbolFlags.Class | ts.SymbolFlags.Function)
    const title = `${path} ${symbol.name}`
    const members = membersOf(target).map((member) => ({ title: `${title}.${member.name}`, symbol: member }))
    return [...(isShown ? [{ title, symbol: target }] : []), ...members]
  })
})

describe('the hover text of a public member', () => {
  it('is there', () => {
    expect(all.length).toBeGreaterThan(200)
    const isHidden = ({ symbol }: { symbol: ts.Symbol }) => shownOf(symbol).join('') === ''
    expect(all.filter(isHidden).map(({ title }) => title)).toEqual([])
  })

  it('has no broken markup', () => {
    const broken = all.filter(({ symbol }) => shownOf(symbol).some((part) => isBroken(part)))
    expect(broken.map(({ title }) => title)).toEqual([])
  })

  it('has each sentence once, also for a member of a union', () => {
    const { documentation } = service.getQuickInfoAtPosition(pathOf('narrowed.ts'), narrowed.length - 1) ?? {}
    expect(ts.displayPartsToString(documentation)).toBe('What happened; stable: `switch` on it.')
  })
})

/** Whether braces or backticks are not closed, or braces name several types, which editors show in pieces. */
function isBroken(text: string): boolean {
  const plain = text.replaceAll(/`[^`]*`/g, '').replaceAll(/\{[^{}|]*\}/g, '')
  return /[`{}]/.test(plain) || /^@\w+ ?$/.test(text)
}

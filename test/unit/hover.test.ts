import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'
import type { Operation } from '../../src/contract/operation.ts'
import { operations } from '../../src/contract/operations.ts'

const root = fileURLToPath(new URL('../../', import.meta.url))
const file = `${root}test/hover-of-calls.ts`

/** What stands in the parentheses: what picks the signature with the option `schema`, where there is one, and nothing. */
function argumentsOf({ id, method, path }: Operation): string[] {
  if (id === 'openapi') return ['']
  const takesId = path.includes('{id}')
  const needed = [...(takesId ? ["'id'"] : []), ...(takesId && method === 'GET' ? [] : ['params'])]
  return [[...needed, '{ schema }'].join(', '), needed.join(', ')]
}

const calls = (operations as readonly Operation[]).flatMap((operation) =>
  argumentsOf(operation).map((args) => ({
    call: `client.${operation.id}(${args})`,
    names: `${operation.method} ${operation.path}`,
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
  "import { CatalogClient } from '../src/catalog/index.ts'",
  'declare const client: SocialSearch, catalog: CatalogClient, schema: StandardSchemaV1',
  'declare const params: any, options: any',
  ...[...calls, ...others].map(({ call }) => call),
]
const text = lines.join('\n')

const { config } = ts.readConfigFile(`${root}tsconfig.json`, (name) => ts.sys.readFile(name)) as {
  config: unknown
}
const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root)
const contentOf = (name: string) => (name === file ? text : ts.sys.readFile(name))
const service = ts.createLanguageService({
  getCompilationSettings: () => options,
  getScriptFileNames: () => [file],
  getScriptVersion: () => '1',
  getScriptSnapshot: (name) => {
    const content = contentOf(name)
    return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content)
  },
  getCurrentDirectory: () => root,
  getDefaultLibFileName: (settings) => ts.getDefaultLibFilePath(settings),
  fileExists: (name) => name === file || ts.sys.fileExists(name),
  readFile: contentOf,
})

describe('what an editor says of a call', () => {
  it('is asked of calls that compile', () => {
    const wrong = service.getSemanticDiagnostics(file)
    expect(wrong.map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'))).toEqual([])
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

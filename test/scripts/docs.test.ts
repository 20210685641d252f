import { describe, expect, it } from 'vitest'
import { readDeclarations } from '../../scripts/docs/declarations.ts'
import { fieldTable } from '../../scripts/docs/fields.ts'
import { renderPages } from '../../scripts/docs/pages.ts'
import { readSchemas } from '../../scripts/docs/schema-exports.ts'
import type { Operation } from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import type { JsonSchema } from '../../src/api/schema/json-schema.ts'
import { SocialSearch } from '../../src/index.ts'
import * as publicSchemas from '../../src/extensions/schemas/index.ts'

const pages = renderPages(readDeclarations())

function sectionOf({ id }: Operation): string {
  const all = [...pages.values()].join('\n')
  return all.slice(all.indexOf(`\n## ${id}\n`)).split(/\n## /)[1] ?? ''
}

const documented = (operations as readonly Operation[]).filter((operation) => operation.documented)

/** Docs as the compiler gives them, of an object with one field. */
const docs = (text: string) => {
  const field = { name: '', text, deprecated: null, parameters: () => [], isGeneric: () => false }
  const inner = { ...field, fields: () => new Map() }
  return { ...inner, fields: () => new Map([['lang', inner]]) }
}
const row = (text: string, schema: JsonSchema) =>
  fieldTable({ type: 'object', properties: { lang: schema } }, docs(text), 'required').split('\n')[2]

describe('readSchemas()', () => {
  it('finds each schema that a file of src/api exports, and all are public', async () => {
    const names = Array.from((await readSchemas()).values(), Object.keys).flat()
    expect(names.sort()).toEqual(Object.keys(publicSchemas).sort())
  })
})

describe('renderPages()', () => {
  it('begins the index with SocialSearch and its members that call no operation', () => {
    const [, first = ''] = (pages.get('README.md') ?? '').split(/^## /m)
    expect(first).toMatch(/^SocialSearch\n/)
    const members = Object.getOwnPropertyNames(SocialSearch.prototype)
    const listed = Array.from(first.matchAll(/^\| `client\.(\w+)/gm), ([, name]) => name)
    expect([...listed, 'constructor', 'openapi'].toSorted()).toEqual(members.toSorted())
  })

  it.each(documented.map((operation) => [operation.id, operation] as const))(
    '%s: names each field, its path and exactly its errors',
    (_, operation) => {
      const section = sectionOf(operation)
      for (const field of ['requestId', ...(operation.list ? [operation.list] : [])])
        expect(section).toContain(`| \`${field}\` |`)
      expect(section).toContain(`\`${operation.method} ${operation.path}\``)
      const statuses = [...section.matchAll(/^\| (\d{3}) \|/gm)].map(([, status]) => Number(status))
      expect(statuses).toEqual([...(operation.errors ?? []), 403].sort())
      expect(section).toContain("`requiredScopes` is `['search:read']`")
    },
  )

  it('links to existing headings', () => {
    for (const [name, page] of pages)
      for (const [, file = '', anchor = ''] of page.matchAll(/\]\(([\w.]*)#([\w-]+)\)/g)) {
        const headings = [...(pages.get(file || name) ?? '').matchAll(/^#+ (.+)$/gm)]
        expect(headings.map(([, heading = '']) => heading.toLowerCase().replaceAll(/[^\w-]/g, ''))).toContain(
          anchor,
        )
      }
  })
})

describe('fieldTable()', () => {
  it.each<[string, JsonSchema]>([
    ['Language, at most 30 characters.', { type: 'string', maxLength: 32 }],
    ['Language, at most 32 characters.', { type: 'string' }],
    ["Counted from 1; the service's default is 2.", { type: 'integer', default: 1 }],
    ['1 to 20.', { type: 'integer', minimum: 1 }],
  ])('refuses the bound in %j, which its schema does not have', (text, schema) => {
    expect(() => row(text, schema)).toThrow(/the docstring of lang has bounds or defaults/)
  })

  it('refuses a field that is not declared', () => {
    const schema: JsonSchema = { type: 'object', properties: { other: { type: 'string' } } }
    expect(() => fieldTable(schema, docs(''), 'required')).toThrow(/do not have the field other/)
  })
})

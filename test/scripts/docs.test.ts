import { describe, expect, it } from 'vitest'
import { readDeclarations } from '../../scripts/docs/declarations.ts'
import { fieldTable } from '../../scripts/docs/fields.ts'
import { guideGroups, withGuides } from '../../scripts/docs/guides.ts'
import { renderLlmsTxt } from '../../scripts/docs/llms-txt.ts'
import { renderPages } from '../../scripts/docs/pages.ts'
import { readSchemas, schemaExports } from '../../scripts/docs/schema-exports.ts'
import { catalogOperations } from '../../src/api/catalog/operations.ts'
import type { Operation } from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import type { JsonSchema } from '../../src/api/schema/json-schema.ts'
import { microblogPost } from '../../src/api/microblog.ts'
import { SocialSearch } from '../../src/index.ts'
import * as publicSchemas from '../../src/extensions/schemas/index.ts'

const pages = renderPages(readDeclarations())

function sectionOf({ id }: Operation): string {
  const all = [...pages.values()].join('\n')
  return all.slice(all.indexOf(`\n## ${id}\n`)).split(/\n## /)[1] ?? ''
}

const documented = (operations as readonly Operation[]).filter((operation) => operation.documented)
const open = (operations as readonly Operation[]).filter((operation) => !operation.documented)

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

describe('schemaExports()', () => {
  it('exports the schemas of a file by name', () => {
    const text = schemaExports(new Map([['api/microblog.ts', { microblogPost }]]))
    expect(text).toContain("export { microblogPost } from '../../api/microblog.ts'")
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

  it('has a page for the catalog, with its calls, their errors and the recursive shape', () => {
    const page = pages.get('catalog.md') ?? ''
    for (const { id, method, path } of catalogOperations) {
      expect(page).toContain(`\n## ${id}\n`)
      expect(page).toContain(`\`${method} ${path}\``)
    }
    expect(page).toContain('\n- Errors: 400, 403, 404, each a `ProblemError`\n')
    expect(page).toContain('| `satellites[].id` | integer of 64 bits |')
    expect(page).toContain('| `satellites[].orbit.planet` | object of the same shape as the whole |')
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

  it.each(open.map((operation) => [operation.id, operation] as const))(
    '%s: says that its shapes are not documented, and lists none',
    (_, operation) => {
      expect(sectionOf(operation)).toContain('**Shapes**: not documented')
      expect(sectionOf(operation)).not.toContain('| Field |')
    },
  )

  it('lists bounds once, beside the text of a field, down to the items of lists', () => {
    for (const line of [
      '| `count` | integer, 1 to 20, default 20 | Posts per page. A smaller page costs the same. |',
      '| `filters.hashtags` | string[], up to 30 items of at most 200 characters | Hashtags without the leading `#`. |',
      '| `posts[].engagements.viewsCount` | number |  |',
      '| `posts[].video` | string or null | Video URL, or null. |',
      '| `meta.nextCursor` | string, optional | Opaque; goes into `cursor` for the next page. |',
    ])
      expect(pages.get('microblog.md')).toContain(`${line}\n`)
    expect(pages.get('professionalnet.md')).toContain(
      '| `count` | integer, 1 to 20 | Deprecated: ignored by the service, which always returns the full page. |\n',
    )
  })

  it('writes each call with the arguments of its signature', () => {
    for (const call of [
      'microblog.search({ query })',
      'professionalnet.industries.list({ q })',
      'professionalnet.person.posts(params)',
      'mentions.get(id)',
      'mentions.setState(id, body)',
      'organization.usage()',
      'openapi()',
    ])
      expect(pages.get('README.md')).toContain(`[\`${call}\`]`)
  })

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
  it.each<[string, JsonSchema, string]>([
    [
      'Language, at most 32 characters.',
      { type: 'string', maxLength: 32 },
      'string, at most 32 characters | Language. |',
    ],
    ['At most 32 characters.', { type: 'string', maxLength: 32 }, 'string, at most 32 characters |  |'],
    [
      'A place, at most 9 characters; anything.',
      { type: 'string', maxLength: 9 },
      'string, at most 9 characters | A place; anything. |',
    ],
    ['Most: 1 to 2,000.', { type: 'integer', minimum: 1, maximum: 2000 }, 'integer, 1 to 2,000 | Most. |'],
    [
      "The service's default is `a`.",
      { type: 'string', enum: ['a', 'b'], default: 'a' },
      'one of `a`, `b`, default `a` |  |',
    ],
    ['Either | or.', { type: ['string', 'null'] }, 'string or null | Either \\| or. |'],
  ])('omits from %j what its type says', (text, schema, expected) => {
    expect(row(text, schema)).toBe(`| \`lang\` | ${expected}`)
  })

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

describe('renderLlmsTxt()', () => {
  it.each([
    [
      'a picture',
      '![The steps of a call:\nsend, read](call.svg)\n\nUntil step 4, nothing is sent. Then more.',
    ],
    ['a comment', '<!-- Generated. -->\n\nUntil step 4,\nnothing is sent.'],
    ['an example', '```ts\nsend()\n\nread()\n```\n\nUntil [step 4](pages.md#steps), nothing is sent.'],
    ['a list', '- one\n\nUntil step 4, nothing is sent: see below.'],
  ])('takes the first sentence of a page that begins with %s', (_, text) => {
    const rendered = renderLlmsTxt('A client', () => `# Calls\n\n${text}\n`)
    expect(rendered).toMatch(
      /^- \[Pagination and resume\]\(docs\/pages\.md\): Until step 4, nothing is sent\b.*[.]$/m,
    )
  })

  it('names the sections of a page, without links', () => {
    const page = '# Calls\n\nA call has steps.\n\n## Send\n\n### First\n\n## [Read](read.md)\n'
    expect(renderLlmsTxt('A client', () => page)).toContain(
      '- [Pagination and resume](docs/pages.md): A call has steps. Sections: Send; Read.\n',
    )
  })

  it('lists the guides by reader, in the order of docs/guides.json', () => {
    const lines = renderLlmsTxt('A client', () => 'A page.').match(/^## .*|(?<=^- \[[^\]]*\]\()[^)]*/gm)
    const groups = [...guideGroups].flatMap(([group, pages]) => [`## ${group}`, ...pages.keys()])
    expect(lines).toEqual(['README.md', ...groups])
  })
})

describe('withGuides()', () => {
  it('replaces the section Guides by the list, with links from the folder of the page', () => {
    const page = withGuides('docs/home.md', '# Home\n\n## Guides\n\nOld.\n\n## Last\n\nText.\n')
    expect(page).toMatch(/^# Home\n\n## Guides\n\n- \*\*Use it\*\*: \[Install and get started\]\(start\.md\), /)
    expect(page).toContain('[Security](../SECURITY.md)')
    expect(page).toMatch(/\)\n\n## Last\n\nText\.\n$/)
    expect(page).not.toContain('Old.')
  })

  it('leaves a page without that section unchanged', () => {
    expect(withGuides('docs/pages.md', '# Calls\n')).toBe('# Calls\n')
  })
})

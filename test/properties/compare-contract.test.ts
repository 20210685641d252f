import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { operations } from '../../src/api/operations.ts'
import type { OpenRecord } from '../../src/api/undocumented.ts'
import { compareContract } from '../../src/extensions/contract/index.ts'
import { type Json, described, differencesAfter, requestOf, responseOf } from '../support/description.ts'

describe('compareContract()', () => {
  it.each(
    operations.filter(({ documented }) => documented).map((operation) => [operation.id, operation] as const),
  )(
    'reports each change of a type, a bound or a list of values in %s at its path',
    (id, { method, path }) => {
      const within = (description: Json) => description.paths[path][method.toLowerCase()]
      const { parameters = [], requestBody } = within(described())
      const roots: [string, (operation: Json) => Json][] = [
        ['response', responseOf],
        ...parameters.map(({ name }: Json, i: number) => [
          `query.${name}`,
          ({ parameters }: Json) => parameters[i].schema,
        ]),
        ...(requestBody ? [['request', requestOf] as [string, typeof requestOf]] : []),
      ]
      const changes = roots.flatMap(([at, root]) =>
        changesOf(root(within(described())), at).map(({ to, ...change }) => ({
          ...change,
          apply: (description: Json) => to(root(within(description))),
        })),
      )
      expect(changes.length).toBeGreaterThan(10)
      for (const { kind, at, apply } of changes) {
        const found = differencesAfter(apply).map((each) => [each.operation, each.kind, each.path])
        expect(found, `${kind} ${at}`).toEqual([[id, kind, at]])
      }
    },
  )

  it('returns differences and never throws when any part is replaced by any value', () => {
    const paths = placesIn(described())
    const junk = fc.oneof(
      fc.constantFrom(...odd),
      fc.jsonValue({ maxDepth: 3 }),
      fc.constantFrom(
        ...['#', '#/paths', '#/components/schemas/Error', '#/%', 'x.json'].map(($ref) => ({ $ref })),
      ),
    )
    fc.assert(
      fc.property(fc.constantFrom(...paths), junk, (place, value) => {
        const name = place.at(-1) ?? ''
        const differences = differencesAfter((description) => {
          place.slice(0, -1).reduce((inner: Json, name) => inner[name], description)[name] = value
        })
        for (const { kind, path } of differences)
          expect([typeof kind, typeof path]).toEqual(['string', 'string'])
      }),
      { numRuns: 200, seed: 7 },
    )
    for (const value of [...odd, {}, { openapi: '3.1.0', paths: {} }])
      expect(compareContract(value as OpenRecord)).not.toEqual([])
  })

  it.each([
    ['a schema that refers to itself', { a: { $ref: '#/components/schemas/a' } }],
    [
      'schemas that refer to each other',
      { a: { $ref: '#/components/schemas/b' }, b: { anyOf: [{ $ref: '#/components/schemas/a' }] } },
    ],
    [
      'a schema with 2^60 parts',
      Object.fromEntries(
        Array.from({ length: 60 }, (_, i) => {
          const next = { $ref: `#/components/schemas/a${'+'.repeat(i + 1)}` }
          return [`a${'+'.repeat(i)}`, { anyOf: [{ allOf: [next] }, next] }]
        }),
      ),
    ],
    ['alternatives without an end', { a: nested((inner) => ({ anyOf: [inner] })) }],
    ['parts without an end', { a: nested((inner) => ({ allOf: [inner] })) }],
    ['a default without an end', { a: { default: nested((inner) => [inner]) } }],
    ['a value without an end', { a: { const: nested((inner) => [inner]) } }],
  ])('ends, with a difference, for %s', (_, schemas) => {
    const differences = differencesAfter(({ components, paths }) => {
      Object.assign(components.schemas, schemas)
      const { post } = paths['/data/microblog/tweets/search']
      const request = post.requestBody.content['application/json'].schema
      request.properties.query = { $ref: '#/components/schemas/a' }
      paths['/feeds'] = { $ref: '#/paths/~1feeds' }
    })
    const places = differences.map(({ operation, path }) => `${operation} ${path}`)
    expect(places).toContain('microblog.search request.query')
    expect(places).toContain('null paths./feeds')
  })
})

const odd: unknown[] = [
  null,
  5,
  '',
  'text',
  true,
  [],
  [null],
  [[]],
  { type: 5 },
  { toString: 5 },
  { $ref: 5 },
]

/** Something within itself, a hundred thousand times. */
function nested(wrap: (inner: unknown) => unknown): unknown {
  let value: unknown = { type: 'string' }
  for (let i = 0; i < 100_000; i++) value = wrap(value)
  return value
}

/** Where every part of a value is. */
function placesIn(value: unknown, at: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null) return [[...at]]
  const inner = Object.entries(value).flatMap(([name, each]) => placesIn(each, [...at, name]))
  return at.length === 0 ? inner : [[...at], ...inner]
}

interface Change {
  kind: string
  at: string
  /** Makes the change in a schema. */
  to: (schema: Json) => void
}

/** Each single change of a schema and those in it, with the place at which it is to be reported. */
function changesOf(schema: Json, at: string): Change[] {
  const inner = (name: string, at: string, step: (schema: Json) => Json) =>
    changesOf(step(schema), at).map(({ to, ...change }) => ({
      ...change,
      to: (schema: Json) => to(step(schema)),
    }))
  const bounds = Object.keys(schema).filter((keyword) => /^m(in|ax)/.test(keyword))
  const type = [schema.type].flat().includes('boolean') ? 'string' : 'boolean'
  return [
    ...bounds.map((keyword) => ({
      kind: 'bound',
      at: `${at}.${keyword}`,
      to: (schema: Json) => (schema[keyword] = Number(schema[keyword]) + 1),
    })),
    ...(schema.enum ? [{ kind: 'enum', at, to: (schema: Json) => schema.enum.pop() }] : []),
    ...(schema.type ? [{ kind: 'type', at, to: (schema: Json) => (schema.type = type) }] : []),
    ...Object.keys(schema.properties ?? {}).flatMap((name) =>
      inner(name, `${at}.${name}`, (schema) => schema.properties[name]),
    ),
    ...(schema.items ? inner('items', `${at}[]`, (schema) => schema.items) : []),
  ]
}

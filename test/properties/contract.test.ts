import fc from '../support/chance.ts'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { catalogOperations } from '../../src/api/catalog/operations.ts'
import { check } from '../../src/api/schema/check.ts'
import { jsonSchemaOf } from '../../src/api/schema/json-schema.ts'
import type { Operation } from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import { validateBody } from '../../src/core/call/check.ts'
import { catalog, requests, responses } from '../support/documented-shapes.ts'
import type { Shape } from '../support/shapes.ts'

const rules = { validation: 'strict' } as const
const named = (cases: [Operation, Shape][]) =>
  cases.map(([operation, shape]) => [operation.id, operation, shape] as const)

/** The catalog has no description, and its bigints are unknown to JSON Schema. */
const isDescribed = (described: [Operation, Shape]): boolean => !catalog.includes(described)

/** Another reader of JSON Schema. It counts UTF-16 units, so texts are to hold nothing that takes two. */
const reader = (schema: object) => {
  const read = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0])
  return (value: unknown) =>
    read.safeParse(JSON.parse(JSON.stringify(value).replaceAll(/\p{Extended_Pictographic}/gu, 'x'))).success
}

describe('the contract', () => {
  it('of every documented operation is tested here', () => {
    const documented = [...operations, ...catalogOperations]
      .filter(({ documented }) => documented)
      .map(({ id }) => id)
    expect(requests.map(([{ id }]) => id).sort()).toEqual([...documented].sort())
    expect(responses.map(([{ id }]) => id).sort()).toEqual([...documented].sort())
  })

  it.each([
    ...requests
      .filter(isDescribed)
      .map(([{ id, request }, shape]) => [`${id} request`, jsonSchemaOf(request), shape] as const),
    ...responses
      .filter(isDescribed)
      .map(
        ([operation, shape]) =>
          [`${operation.id} response`, jsonSchemaOf(operation.response), shape] as const,
      ),
  ])('%s: its JSON Schema accepts and refuses the same values', (_, schema, shape) => {
    const accepts = reader(schema)
    fc.assert(fc.property(shape.valid, (value) => accepts(value)))
    expect(shape.violations.filter(({ value }) => accepts(value))).toEqual([])
  })

  it.each(named(requests))('%s: check() accepts every documented value', (_, operation, shape) => {
    fc.assert(
      fc.property(shape.valid, (params) => {
        expect(check(operation.request, params)).toEqual([])
      }),
    )
  })

  it.each(named(requests))('%s: check() names the path of each single violation', (_, operation, shape) => {
    expect(shape.violations.length).toBeGreaterThan(5)
    for (const { path, value } of shape.violations) {
      expect([check(operation.request, value).map((issue) => issue.path), value]).toEqual([
        [path.join('.')],
        value,
      ])
    }
  })

  it.each(named(responses))(
    '%s: validateBody() returns every documented value unchanged',
    async (_, operation, shape) => {
      await fc.assert(
        fc.asyncProperty(shape.valid, async (body) => {
          const before = structuredClone(body)
          expect(await validateBody(operation, body, rules)).toEqual({
            ok: true,
            body: before,
            invalid: null,
          })
        }),
      )
    },
  )

  it.each(named(responses))(
    '%s: validateBody() names the path of each single violation',
    async (_, operation, shape) => {
      expect(shape.violations.length).toBeGreaterThan(20)
      for (const { path, value } of shape.violations) {
        const validated = await validateBody(operation, value, rules)
        expect([validated.ok ? 'accepted' : validated.issues.map((issue) => issue.path), value]).toEqual([
          [path.join('.')],
          value,
        ])
      }
    },
  )

  it.each(named(responses))('%s: validateBody() keeps undocumented fields', async (_, operation, shape) => {
    const [sample] = fc.sample(shape.valid, { numRuns: 1, seed: 3 }) as [object]
    const extended = { ...sample, undocumented: { deep: [1] } }
    expect(await validateBody(operation, extended, rules)).toMatchObject({ ok: true, body: extended })
  })
})

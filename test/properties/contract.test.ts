import fc from '../support/chance.ts'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { catalogOperations } from '../../src/api/catalog/operations.ts'
import { check } from '../../src/api/schema/check.ts'
import { jsonSchemaOf } from '../../src/api/schema/json-schema.ts'
import type { Operation } from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import { validateBody } from '../../src/core/call/check.ts'
import { type Shape, catalog, requests, responses } from '../support/documented-shapes.ts'

const rules = { validation: 'strict' } as const
const named = (cases: [Operation, Shape][]) =>
  cases.map(([operation, shape]) => [operation.id, operation, shape] as const)
const pathsOf = (issues: readonly { path: string }[]) => issues.map(({ path }) => path)

/** The schemas of what has a description: the catalog has none, and its bigints are unknown to JSON Schema. */
const described = (cases: [Operation, Shape][], kind: 'request' | 'response') =>
  cases
    .filter((each) => !catalog.includes(each))
    .map(([operation, shape]) => [`${operation.id} ${kind}`, jsonSchemaOf(operation[kind]), shape] as const)

/** Another reader of JSON Schema. It counts UTF-16 units, so texts are to hold nothing that takes two. */
const reader = (schema: object) => {
  const read = z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0])
  return (value: unknown) =>
    read.safeParse(JSON.parse(JSON.stringify(value).replaceAll(/\p{Extended_Pictographic}/gu, 'x'))).success
}

describe('the contract', () => {
  it('of every documented operation is tested here', () => {
    const all = [...operations, ...catalogOperations].filter(({ documented }) => documented)
    const ids = all.map(({ id }) => id).sort()
    for (const tested of [requests, responses]) expect(tested.map(([{ id }]) => id).sort()).toEqual(ids)
  })

  const schemas = [...described(requests, 'request'), ...described(responses, 'response')]
  it.each(schemas)('%s: its JSON Schema accepts and refuses the same values', (_, schema, shape) => {
    const accepts = reader(schema)
    fc.assert(fc.property(shape.valid, (value) => accepts(value)))
    expect(shape.violations.filter(({ value }) => accepts(value))).toEqual([])
  })

  it.each(named(requests))('%s: check() accepts every documented value', (_, { request }, { valid }) => {
    fc.assert(fc.property(valid, (params) => check(request, params).length === 0))
  })

  it.each(named(requests))('%s: check() names the path of each single violation', (_, { request }, shape) => {
    expect(shape.violations.length).toBeGreaterThan(5)
    for (const { path, value } of shape.violations)
      expect([pathsOf(check(request, value)), value]).toEqual([[path.join('.')], value])
  })

  const answers = named(responses)
  it.each(answers)(
    '%s: validateBody() returns every documented value unchanged',
    async (_, operation, { valid }) => {
      const isUnchanged = fc.asyncProperty(valid, async (body) => {
        const valid = { ok: true, body: structuredClone(body), invalid: null }
        expect(await validateBody(operation, body, rules)).toEqual(valid)
      })
      await fc.assert(isUnchanged)
    },
  )

  it.each(answers)(
    '%s: validateBody() names the path of each single violation',
    async (_, operation, shape) => {
      expect(shape.violations.length).toBeGreaterThan(20)
      for (const { path, value } of shape.violations) {
        const checked = await validateBody(operation, value, rules)
        expect([checked.ok ? 'accepted' : pathsOf(checked.issues), value]).toEqual([[path.join('.')], value])
      }
    },
  )

  it.each(answers)('%s: validateBody() keeps undocumented fields', async (_, operation, shape) => {
    const [sample] = fc.sample(shape.valid, { numRuns: 1, seed: 3 }) as [object]
    const extended = { ...sample, undocumented: { deep: [1] } }
    expect(await validateBody(operation, extended, rules)).toMatchObject({ ok: true, body: extended })
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import type { Operation } from '../../src/contract/operation.ts'
import { schemas } from '../../src/contract/schemas/index.ts'
import { validate } from '../../src/contract/validate.ts'
import { requests, responses } from '../support/documented-shapes.ts'
import { mutated } from '../support/mutations.ts'
import type { Shape } from '../support/shapes.ts'

/** The operations of the catalog share a schema. */
const schemaOf = (id: string, part: 'request' | 'response') =>
  (schemas as Record<string, Record<string, z.ZodMiniType>>)[id]?.[part] ?? schemas.planet.planet

/** Where the schema finds something wrong. */
function pathsByZod(schema: z.ZodMiniType, value: unknown): Set<string> {
  const issues = z.safeParse(schema, value).error?.issues ?? []
  return new Set(
    issues.flatMap((issue) =>
      (issue.code === 'unrecognized_keys' ? issue.keys : [null]).map((key) =>
        [...issue.path, ...(key === null ? [] : [key])].join('.'),
      ),
    ),
  )
}

/** No JSON text holds undefined. */
function withoutUndefined(value: unknown): unknown {
  if (typeof value === 'object' && value !== null)
    for (const [key, each] of Object.entries(value))
      if (each === undefined && !Array.isArray(value)) Reflect.deleteProperty(value, key)
      else withoutUndefined(each)
  return value
}

describe('validate()', () => {
  it.each([
    ...requests.map(([operation, shape]) => ['request', operation.id, operation, shape] as const),
    ...responses.map(([operation, shape]) => ['response', operation.id, operation, shape] as const),
  ])(
    'finds the same issues as the schema of the %s of %s',
    (part, id, operation: Operation, shape: Shape) => {
      const schema = schemaOf(id, part)
      const seen = { accepted: 0, refused: 0 }
      const compare = (sent: unknown) => {
        const value = part === 'request' ? sent : withoutUndefined(sent)
        const paths = pathsByZod(schema, value)
        seen[paths.size === 0 ? 'accepted' : 'refused']++
        expect(new Set(validate(operation[part], value, Infinity).map(({ path }) => path))).toEqual(paths)
      }
      for (const { value } of shape.violations) compare(value)
      fc.assert(fc.property(shape.valid, compare), { seed: 7 })
      fc.assert(fc.property(mutated(shape.valid), compare), { seed: 7, numRuns: 300 })
      expect(seen.accepted).toBeGreaterThan(50)
      expect(seen.refused).toBeGreaterThan(50)
    },
  )

  it('lists 100 issues and counts the others', () => {
    const unknown = Object.fromEntries(Array.from({ length: 250 }, (_, i) => [`field${i}`, 1]))
    const issues = validate({ type: 'object', properties: {}, additionalProperties: false }, unknown)
    expect(issues).toHaveLength(101)
    expect(issues[99]).toEqual({ path: 'field99', message: 'is not a known property' })
    expect(issues[100]).toEqual({ path: '', message: 'has 150 further issues' })
  })

  it('refuses a circular value', () => {
    const planet: Record<string, unknown> = { name: 'x' }
    planet['satellites'] = [{ orbit: { planet } }, { orbit: { planet } }]
    const [[operation]] = requests.filter(([{ id }]) => id === 'planets.create') as [[Operation, Shape]]
    expect(validate(operation.request, planet)).toEqual([
      { path: '', message: 'is nested too deeply, or in a circle' },
    ])
  })
})

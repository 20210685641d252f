import { createRequire } from 'node:module'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import * as z from 'zod/mini'
import { check } from '../../src/api/schema/check.ts'
import type { Operation } from '../../src/api/operation.ts'
import { catalog, requests, responses } from '../support/documented-shapes.ts'
import { mutated } from '../support/mutations.ts'
import type { Shape } from '../support/shapes.ts'

type Validate = (value: unknown) => boolean
type Ajv = new (options: object) => { compile: (schema: object) => Validate }

/** A validator of JSON Schema that knows nothing of zod; the mock server of the catalog's tests uses it, too. */
const { default: Ajv } = createRequire(import.meta.resolve('@stoplight/prism-http'))('ajv/dist/2020.js') as {
  default: Ajv
}
const ajv = new Ajv({ strict: false })

/** As a server receives it, or undefined for a value that has no JSON text. */
function received(value: unknown): unknown {
  try {
    return JSON.parse(JSON.stringify(value))
  } catch {
    return undefined
  }
}

/** JSON Schema has no bigints. */
const described = (cases: [Operation, Shape][]) => cases.filter((each) => !catalog.includes(each))

describe('check()', () => {
  it.each([
    ...described(requests).map(([operation, shape]) => ['request', operation.id, operation, shape] as const),
    ...described(responses).map(
      ([operation, shape]) => ['response', operation.id, operation, shape] as const,
    ),
  ])(
    'accepts what the JSON Schema of the %s of %s accepts, and refuses the rest',
    (part, _, operation, shape) => {
      const schema = operation[part] as z.ZodMiniType
      const accepts = ajv.compile(z.toJSONSchema(schema, { io: 'input' }))
      const seen = { accepted: 0, refused: 0 }
      const compare = (sent: unknown) => {
        const value = received(sent)
        if (value === undefined) return
        const accepted = check(operation[part], value).length === 0
        seen[accepted ? 'accepted' : 'refused']++
        expect([accepted, value]).toEqual([accepts(value), value])
      }
      for (const { value } of shape.violations) compare(value)
      fc.assert(fc.property(shape.valid, compare), { seed: 7 })
      fc.assert(fc.property(mutated(shape.valid), compare), { seed: 7, numRuns: 300 })
      expect(seen.accepted).toBeGreaterThan(50)
      expect(seen.refused).toBeGreaterThan(50)
    },
  )
})

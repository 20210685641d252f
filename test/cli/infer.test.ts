import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { schemaOf } from '../../src/cli/infer.ts'

const records = [
  {
    id: 'a',
    score: 1,
    tags: [],
    note: null,
    'odd name': true,
    author: { name: 'x' },
    any: 'text',
    none: null,
  },
  {
    id: 'b',
    score: 2.5,
    tags: ['t'],
    note: 'n',
    'odd name': false,
    author: { name: null },
    any: 7,
    none: null,
  },
  { id: 'c', score: 3, tags: [null], note: null, 'odd name': true, author: { name: 'y', age: 4 }, any: [] },
]

describe('schemaOf()', () => {
  it('is nullable for null, optional for a missing field, and a union for several types', () => {
    expect(schemaOf(records, '')).toBe(`z.looseObject({
  id: z.string(),
  score: z.number(),
  tags: z.array(z.nullable(z.string())),
  note: z.nullable(z.string()),
  ["odd name"]: z.boolean(),
  author: z.looseObject({
    name: z.nullable(z.string()),
    age: z.optional(z.number()),
  }),
  any: z.union([z.string(), z.number(), z.array(z.unknown())]),
  none: z.optional(z.unknown()),
})`)
  })

  it.each(['__proto__', 'constructor', 'a"]: z.any() }); throw 1; //', '\u2028', 'é'])(
    'is source of a schema that accepts its records when a field is named %j',
    (name) => {
      const record: unknown = JSON.parse(`{${JSON.stringify(name)}:1,"id":"a"}`)
      const schema = runInNewContext(schemaOf([record], ''), { z }) as z.ZodType
      expect(schema.safeParse(record).success).toBe(true)
      expect(schema.safeParse({ id: 1 }).success).toBe(false)
    },
  )
})

import { readFileSync, writeFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { describe, expect, it } from 'vitest'
import * as z from 'zod'
import { schemaOf } from '../../src/cli/infer.ts'
import { failed, recordsOf } from '../support/command-line.ts'
import { sandbox, social, useCommand } from './command.ts'

useCommand()

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

describe('infer', () => {
  it('writes a schema that accepts the records, and its type', async () => {
    expect(await social('infer mentions.list --out mentions.ts')).toMatchObject({ code: 0, err: '' })
    const source = readFileSync('mentions.ts', 'utf8')
    expect(source).toMatch(/^\/\/ Inferred by `social-search infer mentions list` from 20 records\.\n/)
    expect(source).toContain("import * as z from 'zod'\n")
    expect(source).toContain('export type Mention = z.infer<typeof mention>\n')
    const [, expression = ''] = /^export const mention = ([^]*?)\n\n/m.exec(source) ?? []
    const mention = runInNewContext(expression, { z }) as z.ZodType
    for (const record of recordsOf((await social('mentions list --all')).out))
      expect(mention.parse(record)).toEqual(record)
    expect(() => mention.parse({ id: 1 })).toThrow()
  })

  it('replaces no file without --force, and sends nothing then', async () => {
    writeFileSync('mine.ts', 'mine')
    expect(await social('infer mentions list --out mine.ts')).toMatchObject(failed(2, 'pass --force'))
    expect([readFileSync('mine.ts', 'utf8'), sandbox.requests]).toEqual(['mine', []])
    expect((await social('infer mentions list --out mine.ts --force')).code).toBe(0)
    expect(readFileSync('mine.ts', 'utf8')).toContain('z.looseObject')
  })

  it('names the cost of a paid operation and sends nothing without a budget', async () => {
    const line = `infer technews.search --params '{"query":"rust"}' --pages 2`
    const cost = 'at most 4 credits: 2 credits a page for 2 pages; pass --budget to agree\n'
    expect(await social(line)).toMatchObject({ code: 2, err: `social-search: ${cost}` })
    expect(sandbox.requests).toEqual([])
    expect((await social(`${line} --budget 4`)).out).toContain('export const post = z.looseObject({')
    expect([sandbox.requests.length, sandbox.ledger.spent]).toEqual([2, 4])
  })
})

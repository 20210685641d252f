import { describe, expect, it } from 'vitest'
import { jsonText } from '../../src/lib/json.ts'

const nested = (depth: number, inner: string): string =>
  `${'[{"a":'.repeat(depth)}${inner}${'}]'.repeat(depth)}`

describe('jsonText()', () => {
  it('writes what JSON.stringify() writes when the value is shallow', () => {
    expect(jsonText({ a: [1, null], b: undefined }, 2)).toBe('{\n  "a": [\n    1,\n    null\n  ]\n}')
  })

  it('writes every part when the value nests 100,000 levels deep', () => {
    const text = nested(50_000, '[1,"\\"x\\n",true,null,{},[],{"":0,"b":{"c":2}}]')
    expect(jsonText(JSON.parse(text))).toBe(text)
  })

  it('leaves out undefined fields at any depth', () => {
    const inner: unknown = JSON.parse(nested(50_000, '0'))
    expect(jsonText([{ kept: inner, left: undefined }, undefined])).toBe(
      `[{"kept":${nested(50_000, '0')}},null]`,
    )
  })
})

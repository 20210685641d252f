import { describe, expect, it } from 'vitest'
import { isInstance, messageOf, textOf } from '../../src/lib/thrown.ts'
import { awkwardValues } from '../support/awkward-values.ts'

describe.each([
  ['messageOf()', messageOf],
  ['textOf()', textOf],
])('%s', (_, text) => {
  it.each(awkwardValues)('returns a short text for %s', (_, make) => {
    const shown = text(make())
    expect(typeof shown).toBe('string')
    expect(shown.length).toBeLessThanOrEqual(1000)
  })
})

describe('messageOf()', () => {
  it('returns the message of an error', () => {
    expect(messageOf(new RangeError('too far'))).toBe('too far')
  })

  it('returns the text of another value', () => {
    expect([messageOf('words'), messageOf(7), messageOf(undefined)]).toEqual(['words', '7', 'undefined'])
  })

  it('names the type of a value that cannot be printed', () => {
    expect(messageOf(Object.create(null))).toBe('a value of type object that cannot be printed')
  })
})

describe('textOf()', () => {
  it('keeps no part of a secret when it cuts a long text', () => {
    for (const length of [980, 990, 998])
      expect(textOf(`${'x '.repeat(length / 2)}org_live_5f2b8c1d9e ${'y '.repeat(99)}`)).not.toContain(
        'org_l',
      )
  })

  it('returns the class and message of an error', () => {
    expect(textOf(new RangeError('too far'))).toBe('RangeError: too far')
  })
})

describe('isInstance()', () => {
  it.each(awkwardValues)('does not throw for %s', (_, make) => {
    expect(typeof isInstance(make(), Error)).toBe('boolean')
  })

  it('recognizes an instance', () => {
    expect([isInstance(new RangeError(), Error), isInstance({}, Error)]).toEqual([true, false])
  })
})

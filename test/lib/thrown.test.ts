import { describe, expect, it } from 'vitest'
import { messageOf } from '../../src/lib/thrown.ts'
import { thrownValues } from '../support/thrown-values.ts'

describe('messageOf()', () => {
  it.each(thrownValues)('returns a short text for %s', (_, make) => {
    expect(messageOf(make()).length).toBeLessThanOrEqual(1000)
  })

  it('returns the message of an error, and the text of another value', () => {
    const thrown = [new RangeError('too far'), 'words', 7, undefined, Object.create(null)].map(messageOf)
    expect(thrown).toEqual(['too far', 'words', '7', 'undefined', 'a value that cannot be printed'])
  })

  it('joins the messages of the addresses that refused a connection', () => {
    const refused = ['no ::1', 'no 127.0.0.1']
    expect(messageOf(new AggregateError(refused.map((text) => new Error(text))))).toBe(refused.join(', '))
  })

  it('keeps no part of a secret when it cuts a long text', () => {
    for (const length of [980, 990, 998]) {
      const text = `${'x '.repeat(length / 2)}org_live_5f2b8c1d9e ${'y '.repeat(99)}`
      expect(messageOf(text)).not.toContain('org_l')
    }
  })
})

import { describe, expect, it } from 'vitest'
import { messageOf } from '../../src/lib/thrown.ts'
import { thrownValues } from '../support/thrown-values.ts'

describe('messageOf()', () => {
  it.each(thrownValues)('returns a short text for %s', (_, make) => {
    expect(messageOf(make()).length).toBeLessThanOrEqual(1000)
  })

  it('returns the message of an error, and the text of another value', () => {
    expect([new RangeError('too far'), 'words', 7, undefined].map(messageOf)).toEqual([
      'too far',
      'words',
      '7',
      'undefined',
    ])
  })

  it('says so when a value cannot be printed', () => {
    expect(messageOf(Object.create(null))).toBe('a value that cannot be printed')
  })

  it('joins the messages of the addresses that refused a connection', () => {
    const refused = ['::1', '127.0.0.1'].map((address) => new Error(`connect ECONNREFUSED ${address}`))
    expect(messageOf(new AggregateError(refused))).toBe(
      'connect ECONNREFUSED ::1, connect ECONNREFUSED 127.0.0.1',
    )
  })

  it('keeps no part of a secret when it cuts a long text', () => {
    for (const length of [980, 990, 998])
      expect(messageOf(`${'x '.repeat(length / 2)}org_live_5f2b8c1d9e ${'y '.repeat(99)}`)).not.toContain(
        'org_l',
      )
  })
})

import { describe, expect, it } from 'vitest'
import { requestIdOf } from '../../../src/core/http/answer.ts'
import { Redactor } from '../../../src/lib/redactor.ts'

describe('requestIdOf()', () => {
  it('does not join the parts of a split secret', () => {
    const redactor = new Redactor()
    redactor.add('org_live_5f2b')
    expect(requestIdOf({ requestId: 'org_l\u200bive_\r\n5f2b' }, redactor)).toBe('[redacted]')
  })

  it.each([[{}], [null], [[]], ['x'], [{ requestId: 5 }], [{ requestId: '\n' }]])(
    'is undefined for %j',
    (body) => {
      expect(requestIdOf(body, new Redactor())).toBeUndefined()
    },
  )
})

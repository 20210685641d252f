import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { operations } from '../../../src/api/operations.ts'
import { virtualTime } from '../../support/clock.ts'
import { scriptedService } from '../../support/service.ts'

const service = scriptedService()
virtualTime()

describe('the origin of baseUrl', () => {
  it('cannot be left by the path of an operation', () => {
    for (const { path } of operations) expect(path).toMatch(/^\/[a-z]/)
  })

  it.each(['a\r\nx-evil: secret', 'a\nsecret', 'a\0secret', 'secret ключ'])(
    'gets no call with the header %j, and no error repeats its value',
    async (value) => {
      const { error, sent } = await service.search({}, { headers: { 'x-team': value } })
      expect([error, sent]).toMatchObject([{ name: 'ConfigurationError' }, 0])
      expect(inspect(error, { showHidden: true, depth: Infinity })).not.toContain('secret')
    },
  )
})

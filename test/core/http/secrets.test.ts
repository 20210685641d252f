import { inspect } from 'node:util'
import { expect, it } from 'vitest'
import { operations } from '../../../src/api/operations.ts'
import { requestIdOf } from '../../../src/core/http/answer.ts'
import { Redactor } from '../../../src/lib/redactor.ts'
import { apiKey, virtualService } from '../../support/service.ts'

const service = virtualService()

it('search() shows no part of the key when the text of a failure is shortened', async () => {
  const lengths = Array.from({ length: apiKey.length + 'Bearer '.length }, (_, i) => 200 - i)
  for (const length of lengths) {
    const words = `${'x'.repeat(length)} Bearer ${apiKey}`
    const { error } = await service.search({ fetch: () => Promise.reject(new TypeError(words)) })
    expect((error as Error).message).toContain('x'.repeat(length))
    expect(inspect(error)).not.toContain(apiKey.slice(0, 4))
  }
})

it('the path of an operation leads to no other origin', () => {
  for (const { path } of operations) expect(path).toMatch(/^\/[a-z]/)
})

it.each(['a\r\nx-evil: secret', 'a\nsecret', 'a\0secret', 'secret ключ'])(
  'search() sends nothing with the header %j, and no error repeats its value',
  async (value) => {
    const { error, sent } = await service.search({}, { headers: { 'x-team': value } })
    expect([error, sent]).toMatchObject([{ name: 'ConfigurationError' }, 0])
    expect(inspect(error, { showHidden: true, depth: Infinity })).not.toContain('secret')
  },
)

it('requestIdOf() does not join the parts of a split secret', () => {
  const redactor = new Redactor()
  redactor.add('org_live_5f2b')
  expect(requestIdOf({ requestId: 'org_l\u200bive_\r\n5f2b' }, redactor)).toBe('[redacted]')
})

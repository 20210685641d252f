import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { type SocialSearchError } from '../../../src/index.ts'
import { virtualTime } from '../../support/clock.ts'
import { apiKey, scriptedService } from '../../support/service.ts'

const service = scriptedService()
virtualTime()

describe('the key', () => {
  it('does not show in part when the text of a failure is shortened', async () => {
    const lengths = Array.from({ length: apiKey.length + 'Bearer '.length }, (_, i) => 200 - i)
    for (const length of lengths) {
      const words = `${'x'.repeat(length)} Bearer ${apiKey}`
      const { error } = await service.search({ fetch: () => Promise.reject(new TypeError(words)) })
      expect((error as SocialSearchError).message).toContain('x'.repeat(length))
      expect(inspect(error)).not.toContain(apiKey.slice(0, 4))
    }
  })
})

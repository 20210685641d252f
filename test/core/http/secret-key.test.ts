import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { type SocialSearchError } from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { apiKey, makeClient, ok, scriptedService } from '../../support/service.ts'
import { query } from '../../support/search.ts'

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

  it('does not show in a header of a response, nor in the name of one', async () => {
    const headers = { [`x-${apiKey}`]: '1', 'x-echo': `a ${apiKey}`, 'x-other': '2' }
    const { body } = ok()
    service.script(new Response(body, { headers }))
    const { value } = await settle(makeClient().microblog.search(query).withResponse())
    const found = Object.fromEntries(value?.response.headers ?? [])
    expect(found).toMatchObject({ 'x-echo': 'a [redacted]', 'x-other': '2' })
    expect(JSON.stringify(found)).not.toContain(apiKey)
  })
})

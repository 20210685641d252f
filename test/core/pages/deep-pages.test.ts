import { describe, expect, it } from 'vitest'
import type { SocialSearch } from '../../../src/index.ts'
import { settle, virtualTime } from '../../support/clock.ts'
import { makeClient, ok, scriptedService } from '../../support/service.ts'

const service = scriptedService()
virtualTime()

describe('a walk over pages that nest 100,000 levels deep', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  const body = (fields: string): Response => ok(`{"requestId":"r",${fields}}`)

  it.each<[string, (client: SocialSearch) => AsyncIterable<unknown>, Response[], number]>([
    [
      'in an unknown field of a record',
      (client) => client.professionalnet.industries.list().pages(),
      [
        body(
          `"industries":[{"id":1,"label":"a","hierarchy":"a","x":${deep}}],"meta":{"total":1,"page":1,"pageCount":1,"pageSize":25}`,
        ),
      ],
      1,
    ],
    [
      'in the page number, without validation',
      (client) => client.professionalnet.posts.search({ query: 'rust' }, { validation: 'off' }).pages(),
      [body(`"posts":[],"meta":{"page":${deep}}`)],
      0,
    ],
    [
      'in the count of pages, without validation',
      (client) => client.professionalnet.industries.list({}, { validation: 'off' }).pages(),
      [body(`"industries":[{"x":${deep}}],"meta":{"pageCount":${deep}}`)],
      1,
    ],
  ])('delivers them, or fails with a PaginationError: %s', async (_, walk, answers, delivered) => {
    service.script(...answers)
    let pages = 0
    const { error } = await settle(
      (async () => {
        for await (const page of walk(makeClient())) pages += page === undefined ? 0 : 1
      })(),
    )
    expect(pages).toBe(delivered)
    expect((error as Error | undefined)?.name).toBe(delivered > 0 ? undefined : 'PaginationError')
  })
})

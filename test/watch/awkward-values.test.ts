import { describe, expect, it } from 'vitest'
import { SocialSearch } from '../../src/index.ts'
import { messageOf } from '../../src/lib/thrown.ts'
import { createSandbox } from '../../src/extensions/sandbox/index.ts'
import { watchSearch } from '../../src/extensions/watch/index.ts'
import { awkwardValues } from '../support/awkward-values.ts'

describe('watchSearch() whose signal aborts with', () => {
  it.each(awkwardValues)('%s ends with this reason', async (_, make) => {
    const client = new SocialSearch(createSandbox().clientOptions())
    const [abort, reason] = [new AbortController(), make()]
    const batches = watchSearch(client.microblog, { query: 'coffee' }, { signal: abort.signal })
    expect((await batches.next()).value?.posts).toHaveLength(20)
    const next = batches.next().catch((error: unknown) => ({ error }))
    abort.abort(reason)
    const { error } = (await next) as { error: unknown }
    expect([messageOf(error), Object.is(error, abort.signal.reason)]).toEqual([
      messageOf(abort.signal.reason),
      true,
    ])
  })
})

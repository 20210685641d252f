import { expect, it, onTestFinished, vi } from 'vitest'
import { inCloudflareWorkers, never } from '../support/cloudflare-workers.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { query, setUp } from './set-up.ts'

virtualTime()
inCloudflareWorkers()

it('execute() waits for no equal call of a request that was cut off, neither for its page nor for its handle', async () => {
  let fetches = 0
  const { tools, sandbox } = setUp({ reuseFor: 60_000 }, 0, {
    fetch: (request) => (++fetches === 1 ? never : sandbox.fetch(request)),
  })
  const { execute } = tools.microblog_search
  void execute({ query })
  await pass(10)
  const importKey = vi.spyOn(crypto.subtle, 'importKey').mockReturnValue(never)
  onTestFinished(() => importKey.mockRestore())
  void execute({ query })
  await pass(1000)
  importKey.mockRestore()
  const { value } = await settle(execute({ query }))
  expect([value?.ok, typeof value?.next, fetches]).toEqual([true, 'string', 2])
})

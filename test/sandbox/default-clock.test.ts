import { afterEach, expect, it, onTestFinished, vi } from 'vitest'
import { type Sandbox, createSandbox } from '../../src/extensions/sandbox/index.ts'
import { type SandboxServer, serveSandbox } from '../../src/extensions/sandbox/node.ts'
import { SocialSearch } from '../../src/index.ts'
import { day } from './helpers.ts'

afterEach(() => vi.useRealTimers())

it.each<[string, () => Sandbox | Promise<Sandbox>]>([
  ['createSandbox()', createSandbox],
  ['serveSandbox()', serveSandbox],
])('%s moves with the clock of the machine by default', async (_, start) => {
  vi.useFakeTimers({ now: Date.UTC(2026, 0, 15), toFake: ['Date'] })
  const sandbox = await start()
  if ('close' in sandbox) onTestFinished(() => (sandbox as SandboxServer).close())
  const { microblog } = new SocialSearch({ ...sandbox.clientOptions(), fetch: sandbox.fetch })
  const newest = async () => {
    const { posts } = await microblog.search({ query: 'coffee', category: 'Latest' })
    return Date.parse(posts[0]?.timestamp ?? '')
  }
  const before = await newest()
  vi.setSystemTime(Date.now() + 30 * day)
  expect(await newest()).toBeGreaterThan(before)
  expect(await newest()).toBeLessThanOrEqual(Date.now())
})

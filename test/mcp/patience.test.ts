import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SocialSearch } from '../../src/index.ts'
import { createMcp } from '../../src/extensions/mcp/index.ts'
import { createSandbox } from '../support/sandbox.ts'
import { createTools } from '../../src/extensions/tools/index.ts'
import { connect } from './connect.ts'

beforeEach(
  () => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] }),
)
afterEach(() => void vi.useRealTimers())

/** A client whose requests are answered when `answer()` is called. */
function setUp() {
  const sandbox = createSandbox()
  let answer: () => void = () => {}
  const answered = new Promise<void>((resolve) => (answer = resolve))
  const fetch = async (request: Request) => {
    const response = await sandbox.fetch(request)
    await answered
    return response
  }
  const client = new SocialSearch({ ...sandbox.clientOptions(), fetch, timeout: 300_000 })
  return { sandbox, client, answer: () => answer() }
}

const args = { query: 'coffee' }

describe('createMcp()', () => {
  it('answers before a client gives up that hears of no progress, and keeps what was paid for', async () => {
    const { sandbox, client, answer } = setUp()
    const request = connect(createMcp({ client, budget: 10 }))
    const call = () => request('tools/call', { name: 'microblog_search', arguments: args })
    const first = call()
    await expect.poll(() => sandbox.requests).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(50_000)
    const { structuredContent } = await first
    expect(structuredContent?.error).toMatchObject({ code: 'rate_limited', retryAfter: 20, stop: false })
    answer()
    expect((await call()).structuredContent?.ok).toBe(true)
    expect(sandbox.ledger.spent).toBe(2)
  })
})

describe('execute()', () => {
  it('reports every 5 seconds that a call is waiting, until it has its answer', async () => {
    const { sandbox, client, answer } = setUp()
    const progress: unknown[] = []
    const onProgress = (each: unknown) => progress.push(each)
    const result = createTools({ client, budget: 10 }).microblog_search.execute(args, { onProgress })
    await expect.poll(() => sandbox.requests).toHaveLength(1)
    await vi.advanceTimersByTimeAsync(11_000)
    expect(progress).toEqual(Array(2).fill({ done: 0, pages: 1, waiting: 'sent' }))
    answer()
    await result
    expect(vi.getTimerCount()).toBe(0)
  })
})

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { CommandError } from '../../src/cli/command-errors.ts'
import { Stop } from '../../src/cli/stop.ts'
import { SocialSearch } from '../../src/index.ts'
import { createSandbox } from '../../src/extensions/sandbox/index.ts'

const foreign = new Set(process.listeners('SIGINT'))
let stop: Stop
beforeEach(() => (stop = new Stop()))
afterEach(() => stop.end())

/** What Ctrl-C does, for this package's handlers alone. */
function pressCtrlC(): void {
  for (const listener of process.listeners('SIGINT')) if (!foreign.has(listener)) listener('SIGINT')
}

/** A search during whose first request Ctrl-C is pressed so often. */
function search(presses: number, retryAfter: number | null) {
  const sandbox = createSandbox()
  if (retryAfter !== null) sandbox.inject({ status: 429, retryAfter })
  const client = new SocialSearch({
    ...sandbox.clientOptions(),
    hooks: stop.hooks,
    observers: [stop.observer],
    async fetch(request) {
      for (let press = 0; press < presses; press++) pressCtrlC()
      return sandbox.fetch(request)
    },
  })
  return { sandbox, page: client.microblog.search({ query: 'coffee' }, { signal: stop.signal }) }
}

describe('Ctrl-C', () => {
  it('ends the job at once when the request under way has failed, without waiting for a retry', async () => {
    const { sandbox, page } = search(1, 1)
    await expect(page).rejects.toThrow('interrupted; what was bought is written')
    expect([sandbox.requests.length, sandbox.ledger.spent]).toEqual([1, 0])
  })

  it('lets a page under way be read and written, and then ends the job', async () => {
    const { page } = search(1, null)
    expect((await page).posts).toHaveLength(20)
    expect(stop.signal.aborted).toBe(false)
    expect(() => stop.pageIsWritten()).toThrow(CommandError)
  })

  it('ends the job at once when it is pressed twice, and says that the page may have been charged', async () => {
    const { page } = search(2, null)
    await expect(page).rejects.toThrow('the page under way is not written, and may have been charged')
  })

  it('ends the job at once when no request is under way', async () => {
    await search(0, 0).page
    stop.pageIsWritten()
    pressCtrlC()
    expect(stop.signal.reason).toBeInstanceOf(CommandError)
  })

  it('is left to the process when the job has ended', () => {
    stop.end()
    pressCtrlC()
    expect(stop.signal.aborted).toBe(false)
  })
})

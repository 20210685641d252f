import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { SocialSearch } from '../../src/index.ts'
import { serveSandbox } from '../../src/extensions/sandbox/node.ts'
import { newFolder } from '../support/folder.ts'

const job = fileURLToPath(new URL('nightly.ts', import.meta.url))

it('resume() loses no post, buys no stored page again, and sends nothing at the end when a job is killed and restarted', async () => {
  await using server = await serveSandbox({ limits: { perMinute: false }, latency: 10 })
  const folder = newFolder()
  const file = join(folder, 'stored.json')
  writeFileSync(file, JSON.stringify({ ids: [], state: null }))
  const stored = () => JSON.parse(readFileSync(file, 'utf8')) as { ids: string[]; state: object | null }

  /** Runs the job; kills it once it has stored so many pages. */
  async function run(killAfter = Infinity): Promise<{ pages: number; said: string }> {
    const env = { SOCIAL_SEARCH_BASE_URL: server.baseUrl, SOCIAL_SEARCH_API_KEY: server.apiKey }
    const child = spawn(process.execPath, [job, file], { env, stdio: ['ignore', 'pipe', 'inherit'] })
    let said = ''
    const pages = () => said.split('page\n').length - 1
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said += text
      if (pages() >= killAfter) child.kill('SIGKILL')
    })
    await once(child, 'close')
    return { pages: pages(), said }
  }

  const client = new SocialSearch({
    baseUrl: server.baseUrl,
    apiKey: server.apiKey,
    limits: { perMinute: false },
  })
  const all = await client.microblog.search({ query: 'typescript', count: 20 }).toArray({ limit: 1000 })
  const before = server.requests.length

  await run(2)
  const half = stored()
  expect(half.ids.length).toBeGreaterThanOrEqual(40)
  expect(half.ids.length).toBeLessThan(all.length)
  await run()
  expect(stored().ids).toEqual(all.map(({ id }) => id))
  expect(stored().state).toEqual({ next: null })
  const bought = server.requests.length - before
  // One more than the pages: the one that was under way when the job was killed.
  expect(bought).toBeLessThanOrEqual(Math.ceil(all.length / 20) + 1)

  const { said } = await run()
  expect(said).toBe('0\n')
  expect(server.requests.length - before).toBe(bought)
})

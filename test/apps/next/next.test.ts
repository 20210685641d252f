import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type SandboxServer, serveSandbox } from 'social-search-sdk/sandbox/node'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Started } from '../../support/started.ts'

const apps = join(import.meta.dirname, '..')
const samples = join(apps, '.out/frameworks')
const next = join(apps, 'node_modules/next/dist/bin/next')

/** What docs/frameworks.md takes as given, and a page that searches while Next prerenders it. */
const added = {
  'package.json': '{ "private": true }',
  'app/layout.tsx':
    'export default ({ children }: { children: React.ReactNode }) => <html><body>{children}</body></html>',
  'next.config.mjs': `export default {
    cacheComponents: process.env.CACHE_COMPONENTS === 'true',
    turbopack: { root: '${join(apps, '../..')}' },
    // npm run apps compiles the same files.
    typescript: { ignoreBuildErrors: true },
  }`,
}
const addedWithCacheComponents = {
  'app/loading.tsx': 'export default () => <p>Loading</p>',
  'app/prerendered/page.tsx': `import { SocialSearch } from 'social-search-sdk'
    const client = SocialSearch.fromEnv()
    export default async () => {
      await client.microblog.search({ query: 'coffee' })
      return <p>Found</p>
    }`,
}

const budget = `
import { SharedBudget, sqliteStore } from 'social-search-sdk/shared'
const store = sqliteStore('credits.sqlite')
export const budget = new SharedBudget({ store, name: 'site', limit: 30, every: 'day' })`

/** Writes the app of docs/frameworks.md, with a budget of 30 credits in SQLite passed to the client. */
function makeApp(folder: string, files: Record<string, string>): void {
  rmSync(folder, { recursive: true, force: true })
  const documented = ['social.ts', 'session.ts', 'app/page.tsx', 'app/api/social/[...path]/route.ts']
  for (const file of documented) cpSync(join(samples, file), join(folder, file))
  edit(join(folder, 'social.ts'), 'fromEnv()', 'fromEnv({ budget })')
  edit(
    join(folder, 'social.ts'),
    'export const client',
    "import { budget } from './budget'\nexport const client",
  )
  writeFileSync(join(folder, 'budget.ts'), budget)
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
}

function edit(file: string, from: string, to: string): void {
  const text = readFileSync(file, 'utf8')
  expect(text).toContain(from)
  writeFileSync(file, text.replace(from, to))
}

describe.each([
  { name: 'Turbopack and cacheComponents', cacheComponents: true, args: [] },
  { name: 'webpack', cacheComponents: false, args: ['--webpack'] },
])('docs/frameworks.md, in Next with $name', ({ cacheComponents, args }) => {
  const folder = join(apps, `.out/next-${cacheComponents ? 'turbopack' : 'webpack'}`)
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    NODE_ENV: 'production',
    ...{ NEXT_TELEMETRY_DISABLED: '1', CACHE_COMPONENTS: String(cacheComponents) },
  }
  let sandbox: SandboxServer
  let serving: NodeJS.ProcessEnv
  beforeAll(async () => {
    sandbox = await serveSandbox({ latency: [100, 100] })
    const { baseUrl, apiKey } = sandbox
    serving = { ...env, SOCIAL_SEARCH_BASE_URL: baseUrl, SOCIAL_SEARCH_API_KEY: apiKey }
    makeApp(folder, cacheComponents ? { ...added, ...addedWithCacheComponents } : added)
  })
  afterAll(() => sandbox.close())

  it('builds, and pays for nothing', { timeout: 300_000 }, () => {
    const options = { cwd: folder, env: cacheComponents ? serving : env, encoding: 'utf8' } as const
    const { status, stdout, stderr } = spawnSync(process.execPath, [next, 'build', ...args], options)
    expect(status, stdout + stderr).toBe(0)
    expect(sandbox.ledger.spent).toBe(0)
  })

  it('keeps pages and routes to two requests in flight and one budget', { timeout: 120_000 }, async () => {
    const start = [next, 'start', '--port', '0', '--hostname', '127.0.0.1']
    const child = spawn(process.execPath, start, { cwd: folder, env: serving })
    const ended = once(child, 'close')
    try {
      const origin = await new Started(child).printed(/http:\/\/127\.0\.0\.1:\d+/)
      const answer = async (path: string, init?: RequestInit) => {
        const response = await fetch(origin + path, init)
        // A page sends its status before it searches: its search has ended when its text has.
        return { status: response.status, text: await response.text() }
      }
      const page = () => answer('/')
      const route = () =>
        answer('/api/social/data/microblog/tweets/search', {
          ...{ method: 'POST', body: '{"query":"coffee"}' },
          headers: { 'content-type': 'application/json' },
        })
      expect((await page()).text.match(/<li>/g)).toHaveLength(20)
      expect(JSON.parse((await route()).text)).toMatchObject({ posts: { length: 20 } })
      await Promise.all(Array.from({ length: 20 }, (_, index) => (index % 2 ? page() : route())))
      expect(Math.max(...sandbox.requests.map(({ inFlight }) => inFlight))).toBe(2)
      // Pages give up after their deadline, so a slow machine has credits left.
      let last = await route()
      for (; last.status === 200; last = await route()) expect(sandbox.ledger.spent).toBeLessThanOrEqual(30)
      expect(last.status).toBe(402)
      expect(sandbox.ledger.spent).toBe(30)
    } finally {
      child.kill()
      await ended
    }
  })
})

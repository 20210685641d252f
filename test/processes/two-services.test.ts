import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { type Ran, type RunOptions, buildCommand, run } from './command.ts'
import { runKills } from './two-services/run.ts'
import { type TokenService, tokenService, tokensIn } from './two-services/service.ts'

/** KILLS=500 takes some minutes, and stops processes for longer than their lock lasts. */
const kills = Number(process.env['KILLS'] ?? 40)

let command: { folder: string; file: string }
let config: string
let alpha: TokenService
let beta: TokenService
beforeAll(async () => void (command = await buildCommand()))
afterAll(() => rmSync(command.folder, { recursive: true }))
beforeEach(async () => {
  alpha = await tokenService('alpha')
  beta = await tokenService('beta')
  config = mkdtempSync(join(tmpdir(), 'config-'))
})
afterEach(async () => {
  await Promise.all([alpha.close(), beta.close()])
  rmSync(config, { recursive: true })
})

const social = (args: string[], options: RunOptions = {}) =>
  run(command, args, { ...options, env: { XDG_CONFIG_HOME: config } })
const usage = ['organization', 'usage']
const files = () => readdirSync(join(config, 'social-search'))
const tokens = () => readFileSync(join(config, 'social-search', 'tokens.json'), 'utf8')

function login({ origin }: TokenService): Promise<Ran> {
  const args = ['login', '--base-url', `${origin}/v1`, '--issuer', origin, '--client-id', 'terminal']
  return social(args, {
    input: null,
    during: (child) =>
      child.stderr?.on('data', (data: Buffer) => {
        const [url] = /http\S+\/authorize\S+/.exec(String(data)) ?? []
        if (url !== undefined) void fetch(url)
      }),
  })
}

/** Runs a command while a refresh of alpha has been sent, and lets the refresh end half a second later. */
async function duringRefresh(work: () => Promise<Ran>): Promise<{ call: Ran; ran: Ran }> {
  await login(alpha)
  const { promise, resolve } = Promise.withResolvers<undefined>()
  alpha.delay = promise
  await new Promise((resolve) => setTimeout(resolve, 500))
  const call = social(usage)
  await expect.poll(() => alpha.counts.refreshed).toBe(1)
  const working = work()
  // Until it waits for the lock, or has not waited.
  await new Promise((resolve) => setTimeout(resolve, 2000))
  resolve(undefined)
  return { call: await call, ran: await working }
}

describe('login', () => {
  it('ends a watch of another service, which neither reads nor sends the new tokens', async () => {
    await login(alpha)
    const watching = social(['watch', 'coffee', '--yes', '--every', '1', '--per-minute', 'off'])
    await expect.poll(() => alpha.counts.served).toBeGreaterThan(0)
    expect((await login(beta)).code).toBe(0)
    const { code, err } = await watching
    expect([alpha.problems, beta.problems]).toEqual([[], []])
    expect([code, err]).toEqual([3, expect.stringContaining('the token store holds tokens of')])
    for (const { origin } of [alpha, beta]) expect(err).toContain(origin)
    expect(tokensIn(err)).toEqual(new Set())
    expect((await social(usage)).code).toBe(0)
  })

  it('stores its tokens after a refresh for another service has ended', async () => {
    const { call, ran } = await duringRefresh(() => login(beta))
    expect([call.code, ran.code]).toEqual([0, 0])
    expect(tokensIn(tokens())).toEqual(new Set(['beta']))
    expect((await social(usage)).code).toBe(0)
    expect([alpha.problems, beta.problems]).toEqual([[], []])
  })
})

describe('logout', () => {
  it('removes the tokens of a refresh under way, too', async () => {
    const { call, ran } = await duringRefresh(() => social(['logout']))
    expect([call.code, ran.code]).toEqual([0, 0])
    expect(files()).toEqual([])
  })

  it('removes tokens without a login', async () => {
    await login(alpha)
    rmSync(join(config, 'social-search', 'login.json'))
    expect((await social(['logout'])).code).toBe(0)
    expect(existsSync(join(config, 'social-search', 'tokens.json'))).toBe(false)
  })
})

describe.skipIf(process.platform === 'win32')('login, logout, watch and refreshes of two services', () => {
  it(
    'keep each token to its service and use each refresh token once when processes are killed',
    { timeout: kills * 5000 + 120_000 },
    async () => {
      const { problems, counts } = await runKills(kills, Math.floor(kills / 100))
      if (kills > 40) console.log(counts)
      expect(problems).toEqual([])
      expect(counts['killed']).toBeGreaterThanOrEqual(kills)
      // Otherwise, it has tried out little.
      for (const name of ['alpha refreshed', 'beta refreshed', 'killedInLock', 'logout exit 0'])
        expect(counts[name], name).toBeGreaterThan(0)
    },
  )
})

import { existsSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Ran, command, useCommand, withoutKey } from './command.ts'
import { runKills } from './two-services/run.ts'
import { type TokenService, loginOf, tokenService, tokensIn } from './two-services/service.ts'

/** KILLS=500 takes some minutes, and stops processes for longer than their lock lasts. */
const kills = Number(process.env['KILLS'] ?? 40)

let alpha: TokenService
let beta: TokenService
useCommand()
beforeEach(async () => {
  alpha = await tokenService('alpha')
  beta = await tokenService('beta')
})
afterEach(() => Promise.all([alpha.close(), beta.close()]))

const usage = 'organization usage'
const stored = (name = '') => join(command.folder, 'config/social-search', name)

function login(service: TokenService): Promise<Ran> {
  return withoutKey(loginOf(service), {
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
  await sleep(500)
  const call = withoutKey(usage)
  await expect.poll(() => alpha.counts.refreshed).toBe(1)
  const working = work()
  // Until it waits for the lock, or has not waited.
  await sleep(2000)
  resolve(undefined)
  return { call: await call, ran: await working }
}

describe('login', () => {
  it('ends a watch of another service, which neither reads nor sends the new tokens', async () => {
    await login(alpha)
    const watching = withoutKey('watch coffee --yes --every 1 --per-minute off')
    await expect.poll(() => alpha.counts.served).toBeGreaterThan(0)
    expect((await login(beta)).code).toBe(0)
    const { code, err } = await watching
    expect([alpha.problems, beta.problems]).toEqual([[], []])
    expect([code, err]).toEqual([3, expect.stringContaining('the token store holds tokens of')])
    for (const { origin } of [alpha, beta]) expect(err).toContain(origin)
    expect(tokensIn(err)).toEqual(new Set())
    expect((await withoutKey(usage)).code).toBe(0)
  })

  it('stores its tokens after a refresh for another service has ended', async () => {
    const { call, ran } = await duringRefresh(() => login(beta))
    expect([call.code, ran.code]).toEqual([0, 0])
    expect(tokensIn(readFileSync(stored('tokens.json'), 'utf8'))).toEqual(new Set(['beta']))
    expect((await withoutKey(usage)).code).toBe(0)
    expect([alpha.problems, beta.problems]).toEqual([[], []])
  })
})

describe('logout', () => {
  it('removes the tokens of a refresh under way, too', async () => {
    const { call, ran } = await duringRefresh(() => withoutKey('logout'))
    expect([call.code, ran.code]).toEqual([0, 0])
    expect(readdirSync(stored())).toEqual([])
  })

  it('removes tokens without a login', async () => {
    await login(alpha)
    rmSync(stored('login.json'))
    expect((await withoutKey('logout')).code).toBe(0)
    expect(existsSync(stored('tokens.json'))).toBe(false)
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

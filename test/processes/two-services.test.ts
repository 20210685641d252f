import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Ran, useCommand, withoutKey } from './command.ts'
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

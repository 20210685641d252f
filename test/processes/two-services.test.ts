import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type Ran, useCommand, withoutKey } from './command.ts'
import { type TokenService, loginOf, tokenService, tokensIn } from './two-services/service.ts'

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
    const watching = withoutKey('watch coffee --yes --freshness 1 --per-minute off')
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

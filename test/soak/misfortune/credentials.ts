import type { AuthProvider } from '../../../src/index.ts'
import type { Random } from '../../../src/extensions/sandbox/random.ts'
import { sleep } from '../../../bench/simulate/clock.ts'
import type { Credential, World } from './records.ts'

/** Ways in which a client gets the key. */
const keys: Record<string, (key: string, random: Random, world: World) => Credential['options']> = {
  key: (apiKey) => ({ apiKey }),
  function: (key, _, { interference }) => ({ apiKey: () => interference.pass(key, 'token') }),
  'slow function': (key, random) => ({ apiKey: () => sleep(random.integer(0, 2000)).then(() => key) }),
}

/** Comes back as it is. */
export const refreshFailed = new Error('no refresh now')

const refreshes = ['refreshable', 'slow refresh', 'failing refresh']

/** A secret with characters that JSON and URLs write differently. */
function drawSecret(random: Random, name: string): string {
  return `soak${name}${random.hex(12)}"\\/+&=${random.hex(4)}`
}

/** Draws a way in which a client gets its key or tokens. */
export function drawCredential(random: Random, world: World): Credential {
  const secrets = new Set<string>()
  /** When the service stops accepting a token. */
  const ends = new Map<string, number>()
  const give = (name: string): string => {
    const secret = drawSecret(random, name)
    secrets.add(secret)
    return secret
  }
  const giveToken = (): string => {
    const token = give('Token')
    if (random.chance(0.7)) ends.set(token, performance.now() + random.integer(0, 60_000))
    return token
  }
  const kind = random.pick([...Object.keys(keys), ...refreshes])
  const options = keys[kind]?.(give('Key'), random, world)
  return {
    ...{ kind, secrets, isRefreshable: options === undefined },
    options: options ?? { auth: refreshable(kind, giveToken, random, world) },
    isRevoked: (token) => performance.now() >= (ends.get(token) ?? Infinity),
  }
}

/** Gives another token after each refresh, and notes if the client asks twice. */
function refreshable(kind: string, give: () => string, random: Random, { trace }: World): AuthProvider {
  let token = give()
  let running = 0
  const refreshed = new Set<string>()
  return {
    token: () => token,
    refresh: async (refused) => {
      if (++running > 1) trace.fail('two refreshes at once')
      if (refreshed.has(refused)) trace.fail('a token was refreshed twice')
      try {
        if (kind === 'slow refresh') await sleep(random.integer(100, 10_000))
        if (kind === 'failing refresh' && random.chance(0.5)) throw refreshFailed
        refreshed.add(refused)
        token = give()
      } finally {
        running--
      }
    },
  }
}

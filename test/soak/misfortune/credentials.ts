import type { AuthProvider, ClientOptions } from '../../../src/index.ts'
import type { Random } from '../../../src/sandbox/random.ts'
import { CallersError } from './budgets.ts'
import type { Interference } from './interference.ts'
import type { Trace } from './trace.ts'

const kinds = [
  ...['key', 'key', 'function', 'slow function', 'failing function', 'bad token'],
  ...['provider', 'refreshable', 'slow refresh', 'failing refresh'],
]

export interface Credential {
  readonly options: Pick<ClientOptions, 'apiKey' | 'auth'>
  readonly kind: string
  readonly isRefreshable: boolean
  /** Whether the service refuses a token by now. */
  isRevoked(token: string): boolean
  /** Everything that was given to the client; it grows. */
  readonly secrets: Set<string>
}

const later = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** Draws a way in which a client gets its key or tokens. Each secret has characters that JSON and URLs write differently. */
export function drawCredential(random: Random, { visit }: Interference, trace: Trace): Credential {
  const secrets = new Set<string>()
  /** When the service stops accepting a token. */
  const ends = new Map<string, number>()
  const give = (name: string): string => {
    const secret = `soak${name}${random.hex(12)}"\\/+&=${random.hex(4)}`
    secrets.add(secret)
    return secret
  }
  const giveToken = (): string => {
    const token = give('Token')
    if (random.chance(0.7)) ends.set(token, performance.now() + random.integer(0, 60_000))
    return token
  }
  const kind = random.pick(kinds)
  const source = random
  const key = give('Key')
  const result = (options: Credential['options'], isRefreshable = false): Credential => ({
    ...{ options, kind, isRefreshable, secrets },
    isRevoked: (token) => performance.now() >= (ends.get(token) ?? Infinity),
  })
  switch (kind) {
    case 'key':
      return result({ apiKey: key })
    case 'function':
      return result({ apiKey: () => (visit('token'), key) })
    case 'slow function':
      return result({ apiKey: () => later(source.integer(0, 2000)).then(() => key) })
    case 'failing function':
      return result({
        apiKey: () => {
          if (source.chance(0.8)) return key
          if (source.chance(0.5)) throw new CallersError('no key now')
          return Promise.reject(new CallersError('no key now'))
        },
      })
    case 'bad token':
      return result({
        auth: {
          token: () =>
            source.pick<string>([
              key,
              key,
              key,
              key,
              key,
              key,
              key,
              key,
              `${key}\n`,
              '',
              `${key}é`,
              5 as never,
            ]),
        },
      })
    case 'provider':
      return result({ auth: { token: () => (visit('token'), key) } })
    default:
      return result({ auth: refreshable(kind, giveToken, source, trace) }, true)
  }
}

/** Gives another token after each refresh, and notes if the client asks twice. */
function refreshable(kind: string, give: () => string, random: Random, trace: Trace): AuthProvider {
  let token = give()
  let running = 0
  const refreshed = new Set<string>()
  return {
    token: () => token,
    refresh: async (refused) => {
      if (++running > 1) trace.fail('two refreshes at once')
      if (refreshed.has(refused)) trace.fail('a token was refreshed twice')
      try {
        if (kind === 'slow refresh') await later(random.integer(100, 10_000))
        if (kind === 'failing refresh' && random.chance(0.5)) throw new CallersError('no refresh now')
        refreshed.add(refused)
        token = give()
      } finally {
        running--
      }
    },
  }
}

import { existsSync, mkdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRecord } from '../lib/is-record.ts'
import type { AuthProvider } from '../core/http/credential.ts'
import { type OAuthClientOptions, type OAuthSession, createOAuthClient } from '../oauth/index.ts'
import { FileTokenStore } from '../oauth/node.ts'
import { CommandError } from './command-errors.ts'
import { profile, profileFolder } from './profile.ts'
import { replaceFile } from './replace-file.ts'

/** What `login` stores: an address, and a key or the OAuth client of the tokens. */
export interface StoredLogin {
  readonly baseUrl: string
  readonly apiKey?: string
  readonly oauth?: Pick<OAuthClientOptions, 'issuer' | 'endpoints' | 'clientId' | 'redirectUri' | 'scopes'>
}

export const loginPath = join(profileFolder(profile), 'login.json')
export const tokensPath = join(dirname(loginPath), 'tokens.json')

/** Replaces the stored login. Only its owner can read the file. Removes the tokens of the previous login. */
export function storeLogin(login: StoredLogin): void {
  mkdirSync(dirname(loginPath), { recursive: true, mode: 0o700 })
  rmSync(tokensPath, { force: true })
  replaceFile(loginPath, `${JSON.stringify(login)}\n`, 0o600)
}

/** The stored login, or null. */
export function storedLogin(path = loginPath): StoredLogin | null {
  if (!existsSync(path)) return null
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
    throw new CommandError(
      'credentials',
      `${path} can be read by other users; replace the key and log in again`,
    )
  try {
    const login: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (
      isRecord(login) &&
      typeof login['baseUrl'] === 'string' &&
      (typeof login['apiKey'] === 'string' || isRecord(login['oauth']))
    )
      return login as unknown as StoredLogin
  } catch {
    // Refused below.
  }
  throw new CommandError('credentials', `${path} holds no login; log in again`)
}

/** Provides the stored tokens and refreshes them. Reads the file at the first call. */
export function sessionOf({ baseUrl, oauth }: StoredLogin): AuthProvider {
  let session: Promise<OAuthSession> | undefined
  const opened = (): Promise<OAuthSession> =>
    (session ??= createOAuthClient({
      ...(oauth as Required<StoredLogin>['oauth']),
      ...{ baseUrl, store: new FileTokenStore(tokensPath) },
    }).then((client) => client.session()))
  return {
    token: async () => (await opened()).token(),
    refresh: async (refused) => (await opened()).refresh(refused),
  }
}

import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRecord } from '../lib/is-record.ts'
import { parsed } from '../lib/json.ts'
import type { AuthProvider } from '../index.ts'
import {
  type OAuthClientOptions,
  type OAuthSession,
  type TokenSet,
  createOAuthClient,
} from '../extensions/oauth/index.ts'
import { FileTokenStore } from '../extensions/oauth/node.ts'
import { replaceFile } from '../lib/node/replace-file.ts'
import { CommandError } from './command-errors.ts'
import { profile, profileFolder } from './profile.ts'
import { importWithSqlite } from './sqlite.ts'

/** What `login` stores: an address, and a key or the OAuth client of the tokens. */
export interface StoredLogin {
  readonly baseUrl: string
  readonly apiKey?: string
  /** Names the organization behind the tokens, so that the answers of different logins are apart. */
  readonly organization?: string
  readonly oauth?: Pick<OAuthClientOptions, 'issuer' | 'endpoints' | 'clientId' | 'redirectUri' | 'scopes'>
}

export const loginPath = join(profileFolder(profile), 'login.json')
export const tokensPath = join(dirname(loginPath), 'tokens.json')

const loadSqlite = () => importWithSqlite('a stored login', () => import('node:sqlite'))

/** The tokens of the stored login. Its lock also guards the login. */
const tokenStore = new FileTokenStore(tokensPath)

/** Replaces the stored login and its tokens. Only their owner can read the files. */
export async function storeLogin(login: StoredLogin, tokens?: TokenSet): Promise<void> {
  mkdirSync(dirname(loginPath), { recursive: true, mode: 0o700 })
  await loadSqlite()
  await tokenStore.lock(async () => {
    rmSync(tokensPath, { force: true })
    replaceFile(loginPath, `${JSON.stringify(login)}\n`, 0o600)
    if (tokens !== undefined) await tokenStore.set(tokens)
  })
}

/**
 * Removes the stored login, its tokens, and what killed processes have left of them. A refresh under way ends first.
 *
 * @returns the removed login; undefined if it was unusable, null if there was none.
 */
export async function removeLogin(): Promise<StoredLogin | null | undefined> {
  const folder = dirname(loginPath)
  if (!existsSync(folder)) return null
  await loadSqlite()
  return tokenStore.lock(() => {
    let login: StoredLogin | null | undefined
    try {
      login = storedLogin()
    } catch {
      // Unusable.
    }
    // The login goes last: if this process is killed before, the next logout continues.
    for (const name of readdirSync(folder).toSorted().toReversed())
      if (/^(tokens|login)\.json(\.lock\.tmp)?$/.test(name)) rmSync(join(folder, name), { force: true })
    return Promise.resolve(login)
  })
}

/** The stored login, or null. */
export function storedLogin(path = loginPath): StoredLogin | null {
  if (!existsSync(path)) return null
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
    throw new CommandError(
      'credentials',
      `${path} can be read by other users; replace the key and log in again`,
    )
  const login = parsed(readFileSync(path, 'utf8'))
  if (
    isRecord(login) &&
    typeof login['baseUrl'] === 'string' &&
    (typeof login['apiKey'] === 'string' || isRecord(login['oauth']))
  )
    return login as unknown as StoredLogin
  throw new CommandError('credentials', `${path} holds no login; log in again`)
}

/** Provides the stored tokens and refreshes them. Reads the file at the first call. */
export function sessionOf({ baseUrl, oauth }: StoredLogin): AuthProvider {
  let session: Promise<OAuthSession> | undefined
  const open = async (): Promise<OAuthSession> => {
    await loadSqlite()
    const options = oauth as Required<StoredLogin>['oauth']
    return (await createOAuthClient({ ...options, baseUrl, store: tokenStore })).session()
  }
  const opened = (): Promise<OAuthSession> => (session ??= open())
  return {
    token: async () => (await opened()).token(),
    refresh: async (refused) => (await opened()).refresh(refused),
  }
}

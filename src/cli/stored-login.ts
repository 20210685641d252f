import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRecord, parsed } from '../lib/json.ts'
import { CommandError } from './command-errors.ts'
import { userFolder } from './user-folder.ts'

/** What `login` stores. */
export interface StoredLogin {
  readonly baseUrl: string
  readonly apiKey: string
}

export const loginPath = join(userFolder('APPDATA', 'XDG_CONFIG_HOME', '.config'), 'login.json')

const unfinishedPath = `${loginPath}.new`

/** Replaces the stored login. Only its owner can read the file. */
export function storeLogin(login: StoredLogin): void {
  mkdirSync(dirname(loginPath), { recursive: true, mode: 0o700 })
  // What a killed process has left may have another mode, or be a link.
  rmSync(unfinishedPath, { force: true })
  writeFileSync(unfinishedPath, `${JSON.stringify(login)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(unfinishedPath, loginPath)
}

/** Removes the stored login, and what a killed process has left of one. Returns whether there was one. */
export function removeLogin(): boolean {
  const wasThere = existsSync(loginPath)
  for (const path of [unfinishedPath, loginPath]) rmSync(path, { force: true })
  return wasThere
}

/** The stored login, or null. */
export function storedLogin(): StoredLogin | null {
  if (!existsSync(loginPath)) return null
  if (process.platform !== 'win32' && (statSync(loginPath).mode & 0o077) !== 0)
    throw new CommandError(
      'credentials',
      `${loginPath} can be read by other users; replace the key and log in again`,
    )
  const login = parsed(readFileSync(loginPath, 'utf8'))
  if (isRecord(login) && typeof login['baseUrl'] === 'string' && typeof login['apiKey'] === 'string')
    return login as unknown as StoredLogin
  throw new CommandError('credentials', `${loginPath} has no login; log in again`)
}

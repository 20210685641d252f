import { homedir } from 'node:os'
import { dirname, isAbsolute, join } from 'node:path'
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { isRecord, parsed } from '../lib/json.ts'
import { CommandError, UsageError, exitNameOf } from './command-errors.ts'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import { SocialSearch } from '../index.ts'
import { errorText } from './error-text.ts'
import { accountFlag, accountName } from './account.ts'
import { print, printDone } from './terminal.ts'

/** The folders of a user: the variable that names one, on Windows another one, and its place in the home folder. */
const folders = {
  config: { onWindows: 'APPDATA', elsewhere: 'XDG_CONFIG_HOME', inHome: '.config' },
  state: { onWindows: 'LOCALAPPDATA', elsewhere: 'XDG_STATE_HOME', inHome: '.local/state' },
} as const

/**
 * The folder of this command in one of the user's.
 *
 * @throws {UsageError} if its variable has a relative path: what belongs to the user must not be in whichever folder is current.
 * @throws {CommandError} for a user without a home folder, such as in a container, unless that is `allowed`.
 */
export function userFolder(kind: keyof typeof folders): string
export function userFolder(kind: keyof typeof folders, allowed: 'no home'): string | undefined
export function userFolder(kind: keyof typeof folders, allowed?: 'no home'): string | undefined {
  const { onWindows, elsewhere, inHome } = folders[kind]
  const variable = process.platform === 'win32' ? onWindows : elsewhere
  const { [variable]: given } = process.env
  if (given && !isAbsolute(given)) throw new UsageError(`${variable} must be an absolute path, got ${given}`)
  const home = homeFolder()
  if (given || home !== undefined) return join(given || join(home ?? '', inHome), 'social-search')
  if (allowed === 'no home') return undefined
  throw new CommandError(
    'failed',
    `this user has no home folder; set HOME, or ${variable} to an absolute path`,
  )
}

function homeFolder(): string | undefined {
  try {
    const home = homedir()
    return isAbsolute(home) ? home : undefined
  } catch {
    // The system does not know the user.
    return undefined
  }
}

/** What `login` stores. */
export interface StoredLogin {
  readonly baseUrl: string
  readonly apiKey: string
}

interface FoundLogin extends StoredLogin {
  /** When it was stored, ISO 8601. */
  readonly storedAt: string
}

/** The file of an account in the folder of this command. */
function fileOf(account: string | undefined): string {
  return account === undefined ? 'login.json' : join('accounts', `${account}.json`)
}

/** The accounts that have a login; undefined is the default one. */
export function storedAccounts(): (string | undefined)[] {
  const folder = userFolder('config', 'no home')
  if (folder === undefined) return []
  const files = existsSync(join(folder, 'accounts')) ? readdirSync(join(folder, 'accounts')).sort() : []
  const named = files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -5))
  return [undefined, ...named].filter((account) => existsSync(join(folder, fileOf(account))))
}

/** Replaces the stored login. Only its owner can read the file. */
function storeLogin(path: string, login: StoredLogin): void {
  const unfinished = `${path}.new`
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  // What a killed process has left may have another mode, or be a link.
  rmSync(unfinished, { force: true })
  writeFileSync(unfinished, `${JSON.stringify(login)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(unfinished, path)
}

/** The stored login of an account, or null. */
export function storedLogin(account: string | undefined): FoundLogin | null {
  const folder = userFolder('config', 'no home')
  const path = join(folder ?? '', fileOf(account))
  if (folder === undefined || !existsSync(path)) return null
  const { mode, mtime } = statSync(path)
  if (process.platform !== 'win32' && (mode & 0o077) !== 0)
    throw new CommandError(
      'credentials',
      `${path} can be read by other users; replace the key and log in again`,
    )
  const login = parsed(readFileSync(path, 'utf8'))
  const { baseUrl, apiKey } = isRecord(login) ? login : {}
  if (typeof baseUrl === 'string' && typeof apiKey === 'string')
    return { baseUrl, apiKey, storedAt: mtime.toISOString() }
  throw new CommandError('credentials', `${path} has no login; log in again`)
}

/** Stores a key that the service accepts, for the account of the command. */
export async function login({ baseUrl }: { readonly baseUrl?: string }): Promise<void> {
  const address = baseUrl ?? process.env['SOCIAL_SEARCH_BASE_URL']
  if (!address) throw new UsageError('pass --base-url, the address of the service')
  const path = join(userFolder('config'), fileOf(accountName()))
  const apiKey = (process.stdin.isTTY ? await askForKey() : await readText(process.stdin)).trim()
  if (apiKey === '') throw new UsageError('the key is empty; paste it, or pipe it in: < key.txt')
  try {
    // A free call.
    await new SocialSearch({ baseUrl: address, apiKey, retry: false, timeout: 15_000 }).openapi()
  } catch (error) {
    throw new CommandError(exitNameOf(error), `nothing is stored: ${errorText(error)}`)
  }
  storeLogin(path, { baseUrl: address, apiKey })
  await printDone(
    `The key is in ${path}, accepted by the service; social-search doctor${accountFlag()} checks its scopes`,
  )
}

/** Removes the stored login, and what a killed process has left of one. */
export async function logout(): Promise<void> {
  const path = join(userFolder('config'), fileOf(accountName()))
  const wasThere = existsSync(path)
  for (const each of [`${path}.new`, path]) rmSync(each, { force: true })
  if (wasThere) await printDone(`${path} is removed; the key itself is still valid`)
  else await print('You are not logged in\n')
}

/** Asks without echoing the key. */
function askForKey(): Promise<string> {
  process.stderr.write('API key: ')
  const silent = new Writable({ write: (_, __, done) => done() })
  const reader = createInterface({ input: process.stdin, output: silent, terminal: true })
  return new Promise((resolve, reject) => {
    reader.on('close', () => {
      process.stderr.write('\n')
      reject(new CommandError('interrupted', 'stopped; nothing is stored'))
    })
    reader.question('', (answer) => {
      resolve(answer)
      reader.close()
    })
  })
}

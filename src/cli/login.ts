import { homedir } from 'node:os'
import { join, dirname } from 'node:path'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { isRecord } from '../lib/json.ts'
import { parsed } from '../lib/json.ts'
import { CommandError, UsageError, exitNameOf } from './command-errors.ts'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { SocialSearch } from '../index.ts'
import { errorText } from './error-text.ts'
import { print, printDone } from './terminal.ts'

/** The folder of this command in the folder that a variable names, on Windows another one; default in the home folder. */
export function userFolder(onWindows: string, elsewhere: string, inHome: string): string {
  const parent = process.env[process.platform === 'win32' ? onWindows : elsewhere]
  return join(parent || join(homedir(), inHome), 'social-search')
}

/** What `login` stores. */
export interface StoredLogin {
  readonly baseUrl: string
  readonly apiKey: string
}

const loginPath = join(userFolder('APPDATA', 'XDG_CONFIG_HOME', '.config'), 'login.json')

const unfinishedPath = `${loginPath}.new`

/** Replaces the stored login. Only its owner can read the file. */
function storeLogin(login: StoredLogin): void {
  mkdirSync(dirname(loginPath), { recursive: true, mode: 0o700 })
  // What a killed process has left may have another mode, or be a link.
  rmSync(unfinishedPath, { force: true })
  writeFileSync(unfinishedPath, `${JSON.stringify(login)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(unfinishedPath, loginPath)
}

/** Removes the stored login, and what a killed process has left of one. Returns whether there was one. */
function removeLogin(): boolean {
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

/** Stores a key that the service accepts. */
export async function login({ baseUrl }: { readonly baseUrl?: string }): Promise<void> {
  const address = baseUrl ?? process.env['SOCIAL_SEARCH_BASE_URL']
  if (!address) throw new UsageError('pass --base-url, the address of the service')
  const apiKey = (process.stdin.isTTY ? await askForKey() : await textOf(process.stdin)).trim()
  if (apiKey === '') throw new UsageError('the key is empty; paste it, or pipe it in: < key.txt')
  try {
    // A free call.
    await new SocialSearch({ baseUrl: address, apiKey, retry: false, timeout: 15_000 }).openapi()
  } catch (error) {
    throw new CommandError(exitNameOf(error), `${errorText(error)}. Nothing is stored`)
  }
  storeLogin({ baseUrl: address, apiKey })
  await printDone(
    `The key is in ${loginPath}, accepted by the service; social-search doctor checks its scopes`,
  )
}

export async function logout(): Promise<void> {
  if (removeLogin()) await printDone(`${loginPath} is removed; the key itself is still valid`)
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

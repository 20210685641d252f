import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { isRecord } from '../contract/is-record.ts'
import { CommandError, UsageError } from './command-errors.ts'
import { print } from './terminal.ts'

/** An address and a key, as `login` stores them. */
export interface StoredLogin {
  readonly baseUrl: string
  readonly apiKey: string
}

/** Reads the key from a prompt or from stdin, and stores it so that only its owner can read it. Sends nothing. */
export async function login({
  baseUrl = process.env['SOCIAL_SEARCH_BASE_URL'],
}: {
  baseUrl?: string
}): Promise<number> {
  if (!baseUrl) throw new UsageError('pass --base-url, the address that the key is for')
  const apiKey = (process.stdin.isTTY ? await askForKey() : await textOf(process.stdin)).trim()
  if (!/^[\x21-\x7e]+$/.test(apiKey))
    throw new UsageError('expected a key of visible ASCII characters on the input')
  const path = loginPath()
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const temporary = `${path}.${process.pid}.tmp`
  writeFileSync(temporary, `${JSON.stringify({ baseUrl, apiKey } satisfies StoredLogin)}\n`, { mode: 0o600 })
  chmodSync(temporary, 0o600)
  renameSync(temporary, path)
  await print(`The key is in ${path}; social-search doctor tries it\n`)
  return 0
}

export async function logout(): Promise<number> {
  const path = loginPath()
  const isThere = existsSync(path)
  rmSync(path, { force: true })
  await print(isThere ? `${path} is removed; the key itself is still valid\n` : 'There was no key\n')
  return 0
}

/** What `login` has stored; null if there is nothing. */
export function storedLogin(): StoredLogin | null {
  const path = loginPath()
  if (!existsSync(path)) return null
  if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0)
    throw new CommandError('credentials', `${path} may be read by others; replace the key and log in again`)
  try {
    const stored: unknown = JSON.parse(readFileSync(path, 'utf8'))
    if (isRecord(stored) && typeof stored['baseUrl'] === 'string' && typeof stored['apiKey'] === 'string')
      return { baseUrl: stored['baseUrl'], apiKey: stored['apiKey'] }
  } catch {
    // Refused below.
  }
  throw new CommandError('credentials', `${path} holds no key; log in again`)
}

function loginPath(): string {
  const folder = process.platform === 'win32' ? process.env['APPDATA'] : process.env['XDG_CONFIG_HOME']
  return join(folder || join(homedir(), '.config'), 'social-search', 'login.json')
}

/** Asks without showing what is typed. */
function askForKey(): Promise<string> {
  process.stderr.write('API key: ')
  const silent = new Writable({ write: (_, __, done) => done() })
  const reader = createInterface({ input: process.stdin, output: silent, terminal: true })
  return new Promise((resolve, reject) => {
    reader.on('SIGINT', () => {
      reader.close()
      reject(new UsageError('no key was given'))
    })
    reader.question('', (answer) => {
      reader.close()
      process.stderr.write('\n')
      resolve(answer)
    })
  })
}

import { homedir } from 'node:os'
import { isAbsolute, join } from 'node:path'
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs'
import { resolveBaseUrl } from '../extend.ts'
import { isRecord, parsed } from '../lib/json.ts'
import { redactorOf } from '../lib/redactor.ts'
import { CommandError, UsageError } from './command-errors.ts'

/** `--account` of the command that runs. */
let chosen: string | undefined

/** @param name `--account`, if it is there. */
export function chooseAccount(name: string | undefined): void {
  chosen = name
}

/**
 * The account whose login and budget a command uses: `--account`, or else `SOCIAL_SEARCH_ACCOUNT`. Undefined for the default one.
 *
 * @throws {UsageError} for what is no name, or if the environment has a key as well: nobody could tell which one is charged.
 */
export function accountName(): string | undefined {
  const { SOCIAL_SEARCH_ACCOUNT: ofEnvironment, SOCIAL_SEARCH_API_KEY: key } = process.env
  const name = chosen ?? (ofEnvironment || 'default')
  if (name === 'default') return undefined
  // It names a file, also where case does not matter.
  if (!/^[a-z\d][a-z\d_-]{0,39}$/.test(name))
    throw new UsageError(`an account is a name of lower-case letters, digits, - and _, got ${name}`)
  if (chosen === undefined && key)
    throw new UsageError('SOCIAL_SEARCH_ACCOUNT and SOCIAL_SEARCH_API_KEY are both set; unset one of them')
  return name
}

/** What a search in a file is of, besides its params: one account's mentions say nothing of another's. Files of made-up records say so. */
export function sourceOf(sandbox = false): object {
  const account = accountName()
  return sandbox ? { sandbox } : account === undefined ? {} : { account }
}

/** What a command that is suggested needs, so that it is about the same account. */
export function accountFlag(): string {
  const name = accountName()
  return name === undefined ? '' : ` --account ${name}`
}

/** The folders of a user: the variable that names one, on Windows another one, and its place in the home folder. */
const folders = {
  config: { onWindows: 'APPDATA', elsewhere: 'XDG_CONFIG_HOME', inHome: '.config' },
  state: { onWindows: 'LOCALAPPDATA', elsewhere: 'XDG_STATE_HOME', inHome: '.local/state' },
} as const

function variableOf(kind: keyof typeof folders): string {
  return folders[kind][process.platform === 'win32' ? 'onWindows' : 'elsewhere']
}

/**
 * The folder of this command in one of the user's; undefined for a user without a home folder, such as in a container.
 *
 * @throws {UsageError} if its variable has a relative path: what belongs to the user must not be in whichever folder is current.
 */
export function userFolder(kind: keyof typeof folders): string | undefined {
  const variable = variableOf(kind)
  const { [variable]: given } = process.env
  if (given && !isAbsolute(given)) throw new UsageError(`${variable} must be an absolute path, got ${given}`)
  const home = homeFolder()
  const folder = given || (home && join(home, folders[kind].inHome))
  return folder && join(folder, 'social-search')
}

/** The same where there must be one. */
export function neededFolder(kind: keyof typeof folders): string {
  const folder = userFolder(kind)
  if (folder !== undefined) return folder
  const cure = `set HOME, or ${variableOf(kind)} to an absolute path`
  throw new CommandError('failed', `this user has no home folder; ${cure}`)
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

/** The file of an account in the folder of this command. */
export function fileOf(account: string | undefined): string {
  return account === undefined ? 'login.json' : join('accounts', `${account}.json`)
}

/** The accounts that have a login; undefined is the default one. */
export function storedAccounts(): (string | undefined)[] {
  const folder = userFolder('config')
  if (folder === undefined) return []
  const files = existsSync(join(folder, 'accounts')) ? readdirSync(join(folder, 'accounts')).sort() : []
  const named = files.filter((file) => file.endsWith('.json')).map((file) => file.slice(0, -5))
  return [undefined, ...named].filter((account) => existsSync(join(folder, fileOf(account))))
}

/** The stored login of an account, and since when it is there (ISO 8601), or null. */
export function storedLogin(account: string | undefined): (StoredLogin & { storedAt: string }) | null {
  const folder = userFolder('config')
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

const noLogin = `
With an account:    social-search login --base-url URL
Without an account: social-search search coffee --sandbox`

/** The address of the commands; undefined if there is none. */
export function baseUrlOf(): string | undefined {
  return knownLogin().baseUrl
}

/** Where the key of the commands comes from. */
export function keyOrigin(): string {
  const account = accountName()
  if (account !== undefined) return `the account ${account}`
  return process.env['SOCIAL_SEARCH_API_KEY'] ? 'SOCIAL_SEARCH_API_KEY' : 'social-search login'
}

/** The address and the key of the commands. */
export function addressOf({ sandbox }: { readonly sandbox?: boolean }): StoredLogin {
  if (sandbox === true) return { baseUrl: 'sandbox', apiKey: 'sandbox' }
  const { baseUrl, apiKey } = knownLogin()
  if (!baseUrl) throw new CommandError('credentials', `no address of the service${noLogin}`)
  if (!apiKey) throw new CommandError('credentials', `no key for this address${noLogin}`)
  return { baseUrl, apiKey }
}

/** What is known of address and key: those of the account, or of the environment, or else those that `login` has stored. */
function knownLogin(): { readonly baseUrl: string | undefined; readonly apiKey: string | undefined } {
  const account = accountName()
  const { SOCIAL_SEARCH_BASE_URL: address, SOCIAL_SEARCH_API_KEY: key } = process.env
  const stored = account === undefined && key ? null : storedLogin(account)
  const storedUrl = addressIn(stored?.baseUrl)
  if (account !== undefined) {
    const command = `social-search login --account ${account} --base-url URL`
    if (stored === null)
      throw new CommandError('credentials', `there is no account ${account}; log in: ${command}`)
    // Nothing of the environment mixes with it.
    return { baseUrl: storedUrl, apiKey: stored.apiKey }
  }
  const baseUrl = addressIn(address) ?? storedUrl
  // A stored key goes only to the address that it was stored with.
  return { baseUrl, apiKey: key || (storedUrl === baseUrl ? stored?.apiKey : undefined) }
}

/** An address, spelled one way: budgets and limits belong to it. */
function addressIn(text: string | undefined): string | undefined {
  const redactor = redactorOf({ apiKey: process.env['SOCIAL_SEARCH_API_KEY'] })
  return text ? resolveBaseUrl(text, redactor) : undefined
}

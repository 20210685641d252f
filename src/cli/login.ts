import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { SocialSearch } from '../index.ts'
import type { OAuthScope } from '../extensions/oauth/index.ts'
import { deleteAnswers } from './answer-cache.ts'
import { logInByBrowser } from './browser-login.ts'
import { CommandError, UsageError, exitNameOf } from './command-errors.ts'
import { errorText } from './error-text.ts'
import { millisecondsOf, wholeNumberOf } from './flags.ts'
import { profile } from './profile.ts'
import { loginPath, removeLogin, storeLogin, tokensPath } from './stored-login.ts'
import { print, printDone } from './terminal.ts'

export interface LoginFlags {
  readonly baseUrl?: string
  readonly issuer?: string
  readonly clientId?: string
  readonly scopes?: string
  readonly port?: string
  readonly timeout?: string
  readonly browser?: boolean
  readonly check?: boolean
}

/** Scopes of a new key, and a refresh token. */
const defaultScopes = 'search:read,mentions:read,listeners:read,feeds:read,org:read,offline_access'

/** Stores a key, or the tokens of a login in the browser. */
export async function login({
  issuer,
  clientId,
  scopes,
  port,
  timeout,
  ...flags
}: LoginFlags): Promise<void> {
  const { baseUrl = process.env['SOCIAL_SEARCH_BASE_URL'], browser, check } = flags
  if (!baseUrl) throw new UsageError('pass --base-url, the address of the service')
  if (issuer === undefined || clientId === undefined) {
    if ([issuer, clientId, scopes, port, timeout].some((flag) => flag !== undefined))
      throw new UsageError('a login in the browser needs --issuer and --client-id')
    const apiKey = (process.stdin.isTTY ? await askForKey() : await textOf(process.stdin)).trim()
    if (apiKey === '') throw new UsageError('the key is empty; paste it, or pipe it in: < key.txt')
    // Refuses an address or a key that cannot work.
    const client = new SocialSearch({ baseUrl, apiKey, retry: false, timeout: 15_000 })
    if (check !== false) await checkKey(client)
    await storeLogin({ baseUrl, apiKey })
    const state = check === false ? 'unchecked' : 'accepted by the service'
    await printDone(`The key is in ${loginPath}, ${state}; social-search doctor checks its scopes`)
    return
  }
  const { login, tokens } = await logInByBrowser(baseUrl, {
    ...{ issuer, clientId, scopes: (scopes ?? defaultScopes).split(',') as OAuthScope[] },
    port: port === undefined ? 0 : wholeNumberOf('--port', port, 65_535),
    timeoutMs: millisecondsOf('--timeout', timeout ?? '300'),
    opensBrowser: browser !== false && process.stderr.isTTY,
  })
  await storeLogin(login, tokens)
  await printDone(`The tokens are in ${tokensPath}; social-search doctor tries them`)
}

export async function logout(): Promise<void> {
  try {
    // The login goes last: if this process is killed before, the next logout continues.
    if (existsSync(loginPath)) deleteAnswers(profile)
  } finally {
    await removeStoredLogin()
  }
}

async function removeStoredLogin(): Promise<void> {
  const login = await removeLogin()
  if (login === null) {
    await print('You are not logged in\n')
    return
  }
  const issuer = login?.oauth?.issuer
  const rest =
    issuer === undefined
      ? 'the key itself is still valid'
      : `the tokens stay valid until you revoke them at ${issuer}`
  await printDone(`${loginPath} is removed; ${rest}`)
}

/** Makes a free call with the key. */
async function checkKey(client: SocialSearch): Promise<void> {
  try {
    await client.openapi()
  } catch (error) {
    const advice = 'Nothing is stored; --no-check stores the key unchecked'
    throw new CommandError(exitNameOf(error), `${errorText(error)}. ${advice}`)
  }
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

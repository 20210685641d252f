import { type Server, type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import {
  MemoryTokenStore,
  type OAuthScope,
  type TokenSet,
  createOAuthClient,
} from '../extensions/oauth/index.ts'
import { openBrowser } from './browser.ts'
import { CommandError, UsageError } from './command-errors.ts'
import { InterruptHandler } from './interrupt-handler.ts'
import type { StoredLogin } from './stored-login.ts'

/** The authorization server, and how to reach it. */
export interface BrowserLogin {
  readonly issuer: string
  readonly clientId: string
  readonly scopes: readonly OAuthScope[]
  /** Port of the redirect address; 0 for any. */
  readonly port: number
  readonly timeoutMs: number
  readonly opensBrowser: boolean
}

/** Where the browser ended, and the response that it waits for; undefined for a pasted address. */
interface Callback {
  readonly url: string
  readonly response?: ServerResponse
}

/** Asks the user for consent in a browser, which then calls a server on this machine. Stores nothing. */
export async function logInByBrowser(
  baseUrl: string,
  { issuer, clientId, scopes, port, timeoutMs, opensBrowser }: BrowserLogin,
): Promise<{ login: StoredLogin; tokens: TokenSet }> {
  const interrupt = new InterruptHandler({ message: 'stopped; nothing is stored' })
  const server = createServer()
  const input = createInterface({ input: process.stdin })
  let timer: NodeJS.Timeout | undefined
  const ended = new Promise<never>((_, reject) => {
    interrupt.signal.addEventListener('abort', () => reject(interrupt.signal.reason))
    const late = `no answer from the browser within ${timeoutMs / 1000} s; log in again, or raise --timeout`
    timer = setTimeout(() => reject(new CommandError('credentials', late)), timeoutMs)
  })
  try {
    return await Promise.race([ended, authorize()])
  } finally {
    clearTimeout(timer)
    interrupt.end()
    input.close()
    server.close()
    server.closeAllConnections()
  }

  async function authorize(): Promise<{ login: StoredLogin; tokens: TokenSet }> {
    const redirectUri = `http://127.0.0.1:${await listen(server, port)}/callback`
    const store = new MemoryTokenStore()
    const client = await createOAuthClient({ issuer, clientId, redirectUri, scopes, baseUrl, store })
    // Some servers issue a refresh token only after a consent.
    const { url, pending } = await client.authorizationUrl({ prompt: 'consent' })
    process.stderr.write(`To log in, open this address in a browser:\n${url}\n`)
    if (process.stdin.isTTY)
      process.stderr.write(
        'If that is on another machine, paste the address here at which the browser ends.\n',
      )
    if (opensBrowser) openBrowser(url)
    const { url: callbackUrl, response } = await callbackOf(redirectUri, pending.state)
    try {
      await client.exchange(callbackUrl, pending)
    } catch (error) {
      await answer(response, 400, 'You are not logged in. The terminal shows why.')
      throw error
    }
    await answer(response, 200, 'You are logged in. You can close this window.')
    const oauth = { issuer, endpoints: client.endpoints, clientId, redirectUri, scopes }
    const login = { baseUrl, organization: crypto.randomUUID(), oauth }
    return { login, tokens: store.get() as TokenSet }
  }

  /** Waits for the browser. Any page can call this server, but only the authorization server knows the state. */
  function callbackOf(redirectUri: string, state: string): Promise<Callback> {
    const { host } = new URL(redirectUri)
    const isCallback = (url: string, start: string): boolean =>
      url.startsWith(`${start}?`) && new URL(url, redirectUri).searchParams.get('state') === state
    return new Promise((resolve) => {
      let isCalled = false
      server.on('request', ({ method, headers, url = '' }, response: ServerResponse) => {
        if (isCalled || method !== 'GET' || headers.host !== host || !isCallback(url, '/callback'))
          return void answer(response, 400, 'This is not the end of the login under way.')
        isCalled = true
        resolve({ url, response })
      })
      input.on('line', (line) => {
        const url = line.trim()
        if (isCallback(url, redirectUri)) resolve({ url })
        else if (url !== '')
          process.stderr.write(
            `expected an address that begins with ${redirectUri}? and has the state of this login\n`,
          )
      })
    })
  }
}

async function listen(server: Server, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.on('error', ({ code }: NodeJS.ErrnoException) => {
      const why = code === 'EADDRINUSE' ? 'is taken' : `cannot be used (${code})`
      reject(new UsageError(`port ${port} ${why}; pass another --port`))
    })
    server.listen(port, '127.0.0.1', resolve)
  })
  return (server.address() as AddressInfo).port
}

async function answer(response: ServerResponse | undefined, status: number, text: string): Promise<void> {
  // The browser may have left.
  if (response === undefined || response.destroyed) return
  response.writeHead(status, {
    ...{ 'content-type': 'text/plain', 'cache-control': 'no-store' },
    // Without it, a request could hold its connection by a body that never ends.
    connection: 'close',
  })
  await new Promise<void>((resolve) => {
    response.on('close', resolve)
    response.end(`${text}\n`)
  })
}

import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text as textOf } from 'node:stream/consumers'
import { SocialSearch } from '../index.ts'
import { CommandError, UsageError, exitNameOf } from './command-errors.ts'
import { errorText } from './error-text.ts'
import { loginPath, removeLogin, storeLogin } from './stored-login.ts'
import { print, printDone } from './terminal.ts'

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

import { dirname, join } from 'node:path'
import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import { text as readText } from 'node:stream/consumers'
import type { Scope } from '../api/operation.ts'
import { PermissionDeniedError } from '../errors/index.ts'
import { SocialSearch } from '../index.ts'
import {
  type StoredLogin,
  accountFlag,
  accountName,
  baseUrlOf,
  fileOf,
  keyOrigin,
  neededFolder,
} from './account.ts'
import { clientFor } from './client.ts'
import { CommandError, UsageError, exitCodeOf, exitNameOf } from './command-errors.ts'
import { errorText } from './error-text.ts'
import { print, styled, wrapped } from './terminal.ts'

/** Stores a key that the service accepts, for the account of the command. */
export async function login({ baseUrl }: { readonly baseUrl?: string }): Promise<void> {
  const address = baseUrl ?? process.env['SOCIAL_SEARCH_BASE_URL']
  if (!address) throw new UsageError('pass --base-url, the address of the service')
  const path = join(neededFolder('config'), fileOf(accountName()))
  const apiKey = (process.stdin.isTTY ? await askForKey() : await readText(process.stdin)).trim()
  if (apiKey === '') throw new UsageError('the key is empty; paste it, or pipe it in: < key.txt')
  try {
    // A free call.
    await new SocialSearch({ baseUrl: address, apiKey, retry: false, timeout: 15_000 }).openapi()
  } catch (error) {
    throw new CommandError(exitNameOf(error), `nothing is stored: ${errorText(error)}`)
  }
  storeLogin(path, { baseUrl: address, apiKey })
  await print(
    `The key is in ${path}, accepted by the service; social-search doctor${accountFlag()} checks its scopes\n`,
  )
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

/** Removes the stored login, and what a killed process has left of one. */
export async function logout(): Promise<void> {
  const path = join(neededFolder('config'), fileOf(accountName()))
  const wasThere = existsSync(path)
  for (const each of [`${path}.new`, path]) rmSync(each, { force: true })
  await print(wasThere ? `${path} is removed; the key itself is still valid\n` : 'You are not logged in\n')
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

/** A free call for each scope that reads. `mentions:write` cannot be checked without changing a mention. */
const probes: readonly (readonly [Scope, (client: SocialSearch) => PromiseLike<unknown>])[] = [
  ['search:read', ({ professionalnet }) => professionalnet.industries.list()],
  ['mentions:read', ({ mentions }) => mentions.list()],
  ['listeners:read', ({ listeners }) => listeners.list()],
  ['feeds:read', ({ feeds }) => feeds.list()],
  ['org:read', ({ organization }) => organization.usage()],
]

/** Checks address, credential and scopes with free calls. Sets the exit code of the first failure. */
export async function doctor(): Promise<void> {
  const found = () => `${baseUrlOf()}, with the key of ${keyOrigin()}`
  const client = await check('address and key', found, () => clientFor({}, { retry: false, timeout: 15_000 }))
  if (client === undefined) return
  const service = await check('service', 'answers, and accepts the key', () => client.openapi())
  if (service === undefined) return
  for (const [scope, call] of probes)
    await check(`scope ${scope}`, 'granted', async () => {
      try {
        await call(client)
      } catch (error) {
        if (!(error instanceof PermissionDeniedError)) throw error
        throw new CommandError(
          'credentials',
          `missing; create a key with ${scope} under Integrations > API keys`,
        )
      }
    })
}

/** Prints whether the work succeeds, and returns its result. */
async function check<T>(
  name: string,
  success: string | (() => string),
  work: () => T | Promise<T>,
): Promise<T | undefined> {
  let result: T | undefined
  let failure: string | undefined
  try {
    result = await work()
  } catch (error) {
    process.exitCode ||= exitCodeOf(error)
    failure = errorText(error, true)
  }
  const text = failure ?? (typeof success === 'string' ? success : success())
  const mark = failure === undefined ? styled('green', '✓') : styled('red', '✗')
  await print(`${mark}${wrapped(`✓ ${name}: ${text}`, process.stdout).slice(1)}\n`, true)
  return result
}

import type { SocialSearch } from '../index.ts'
import type { Scope } from '../api/operation.ts'
import { PermissionDeniedError } from '../errors/index.ts'
import { CommandError, exitCodeOf } from './command-errors.ts'
import { baseUrlOf, keyOrigin } from './account.ts'
import { clientFor } from './client.ts'
import { errorText } from './error-text.ts'
import { print, styled, wrapped } from './terminal.ts'

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

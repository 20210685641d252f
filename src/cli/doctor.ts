import type { SocialSearch } from '../client.ts'
import { isBreakage } from '../contract/difference.ts'
import { compareContract } from '../contract/index.ts'
import { count } from '../lib/count.ts'
import type { Scope } from '../api/operation.ts'
import type { OpenRecord } from '../api/undocumented.ts'
import { PermissionDeniedError } from '../errors/index.ts'
import { CommandError, exitCodes } from './command-errors.ts'
import { exitCodeOf } from './exit-codes.ts'
import { clientFor } from './options.ts'
import { print, wrapped } from './terminal.ts'
import type { SharedFlags } from './flags.ts'

/** A free call for each scope that reads. `mentions:write` cannot be checked without changing a mention. */
const probes: readonly (readonly [Scope, (client: SocialSearch) => PromiseLike<unknown>])[] = [
  ['search:read', ({ professionalnet }) => professionalnet.industries.list()],
  ['mentions:read', ({ mentions }) => mentions.list()],
  ['listeners:read', ({ listeners }) => listeners.list()],
  ['feeds:read', ({ feeds }) => feeds.list()],
  ['org:read', ({ organization }) => organization.usage()],
]

/** Checks runtime, address, credential, contract and scopes with free calls. Returns the exit code of the first failure. */
export async function doctor(flags: SharedFlags): Promise<number> {
  let code: number = exitCodes.done
  const check = async (name: string, work: () => string | Promise<string>): Promise<boolean> => {
    try {
      await report(`ok    ${name}: ${await work()}`)
      return true
    } catch (error) {
      code ||= exitCodeOf(error)
      await report(`FAIL  ${name}: ${(error as Error).message}`)
      return false
    }
  }
  const report = (text: string): Promise<boolean> => print(`${wrapped(text, process.stdout)}\n`)
  await check('runtime', () => {
    const major = Number(process.versions.node.split('.')[0])
    if (major < 22) throw new Error(`Node ${process.versions.node}; install Node 22 or later`)
    return `Node ${process.versions.node}`
  })
  let client: SocialSearch | undefined
  await check('address and key', () => {
    client = clientFor({ ...flags, timeout: flags.timeout ?? '15' }, { retry: false })
    return 'both are set'
  })
  if (client === undefined) return code
  const found = client
  let description: OpenRecord | undefined
  const isReached = await check('service', async () => {
    description = await found.openapi()
    return 'answers, and accepts the key'
  })
  if (!isReached || description === undefined) return code
  const differences = compareContract(description)
  await check('contract', () => {
    const breakages = differences.filter(isBreakage)
    if (breakages.length === 0) return 'the service matches this package'
    const names = [...new Set(breakages.map(({ operation }) => operation ?? 'all'))].join(', ')
    throw new CommandError(
      'refused',
      `${count(breakages.length, 'difference')} in ${names}; update this package`,
    )
  })
  for (const [scope, call] of probes)
    await check(`scope ${scope}`, async () => {
      try {
        await call(found)
      } catch (error) {
        if (!(error instanceof PermissionDeniedError)) throw error
        throw new CommandError('credentials', `missing; create a key, or log in, with ${scope}`)
      }
      return 'granted'
    })
  return code
}

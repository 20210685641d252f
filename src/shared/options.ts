import { milliseconds } from '../errors/check-options.ts'
import { sha256 } from '../lib/hash.ts'
import { type Log, type Logger, createLog } from '../lib/logger.ts'
import { Redactor } from '../lib/redact.ts'
import { type SharedStore, TimedStore } from './store.ts'

/** Options of everything that processes share. */
export interface SharedOptions {
  /** Where the state is: `redisStore(client)`, `postgresStore(pool)`, `tabsStore()`, `memoryStore()` or your own. */
  store: SharedStore
  /** Timeout of one update, in milliseconds; after it, the store counts as unavailable. Default 2,000. */
  storeTimeout?: number | undefined
  /** Logs when the store becomes unavailable, when it is back, and when its clock jumps. Default: no logging. */
  logger?: Logger | undefined
}

export const sharedNames: Record<keyof SharedOptions, true> = {
  store: true,
  storeTimeout: true,
  logger: true,
}

/** How to reach the state of one owner. */
export interface ResolvedShared {
  readonly store: TimedStore
  readonly key: () => Promise<string>
  readonly log: Log
}

/**
 * @param kind Names the format of the text. It has a number that changes with the format.
 * @param owner Hashed, since it may be an API key.
 */
export function resolveShared(
  { store, storeTimeout = 2000, logger }: SharedOptions,
  kind: string,
  owner: string,
): ResolvedShared {
  const timed = new TimedStore(store, milliseconds('storeTimeout', storeTimeout))
  let key: Promise<string> | undefined
  const hash = async (): Promise<string> => `${kind}:${(await sha256(owner)).slice(0, 32)}`
  return { store: timed, key: () => (key ??= hash()), log: createLog(logger, new Redactor()) }
}

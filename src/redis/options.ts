import { milliseconds } from '../errors/check-options.ts'
import { sha256 } from '../lib/hash.ts'
import { type Log, type Logger, createLog } from '../lib/logger.ts'
import { Redactor } from '../lib/redact.ts'
import { type RedisAdapter, type RedisClient, adapterFor } from './client.ts'
import { ScriptRunner } from './script-runner.ts'

/** Options of everything that uses Redis. */
export interface RedisOptions {
  /** A client of the npm package `redis` or `ioredis`; you close it yourself. */
  client: RedisClient
  /** Timeout of one command, in milliseconds; after it, Redis counts as unavailable. Default 2,000. */
  commandTimeout?: number | undefined
  /** The prefix of the keys in Redis. Default `social-search`. */
  prefix?: string | undefined
  /** Logs when Redis becomes unavailable, when it is back, and when its clock jumps. Default: no logging. */
  logger?: Logger | undefined
}

export const redisNames: Record<keyof RedisOptions, true> = {
  client: true,
  commandTimeout: true,
  prefix: true,
  logger: true,
}

/** How to reach the data of one owner. */
export interface ResolvedRedis {
  readonly adapter: RedisAdapter
  readonly scripts: ScriptRunner
  /** The prefix of its keys. */
  readonly base: Promise<string>
  readonly log: Log
}

export function resolveRedis(
  { client, commandTimeout = 2000, prefix = 'social-search', logger }: RedisOptions,
  owner: string,
): ResolvedRedis {
  const adapter = adapterFor(client)
  const scripts = new ScriptRunner(adapter, milliseconds('commandTimeout', commandTimeout))
  return { adapter, scripts, base: keyBase(prefix, owner), log: createLog(logger, new Redactor()) }
}

/**
 * The prefix of all keys of one owner. Its hash tag keeps them in one slot of a cluster. The owner is hashed, since it may
 * be an API key.
 */
export async function keyBase(prefix: string, owner: string): Promise<string> {
  return `${prefix}:{${(await sha256(owner)).slice(0, 32)}}`
}

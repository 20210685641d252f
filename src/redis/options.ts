import { milliseconds } from '../errors/assert.ts'
import { type Log, type Logger, createLog } from '../lib/logger.ts'
import { Redactor } from '../lib/redact.ts'
import { type RedisAdapter, type RedisClient, adapterFor } from './client.ts'
import { keyBase } from './keys.ts'
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

/** @param owner Owner of the keys; Redis sees a hash of it. */
export function resolveRedis(
  { client, commandTimeout = 2000, prefix = 'social-search', logger }: RedisOptions,
  owner: string,
): { redis: RedisAdapter; scripts: ScriptRunner; base: Promise<string>; log: Log } {
  const redis = adapterFor(client)
  const scripts = new ScriptRunner(redis, milliseconds('commandTimeout', commandTimeout))
  return { redis, scripts, base: keyBase(prefix, owner), log: createLog(logger, new Redactor()) }
}

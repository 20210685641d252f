import { milliseconds } from '../core/lib/assert.ts'
import { type Log, type Logger, createLog } from '../core/lib/logger.ts'
import { Redactor } from '../core/lib/redact.ts'
import { type Port, type RedisClient, portOf } from './client.ts'
import { keyBase } from './keys.ts'
import { Link } from './link.ts'

/** How to speak to Redis. */
export interface RedisOptions {
  /** A client of the npm package `redis` or `ioredis`; it stays yours to close. */
  client: RedisClient
  /** Time for one command, in milliseconds, after which Redis counts as out of reach. Default 2,000. */
  commandTimeout?: number | undefined
  /** What the keys in Redis begin with. Default `social-search`. */
  prefix?: string | undefined
  /** Is told when Redis gets out of reach, and when it is back. Default nobody. */
  logger?: Logger | undefined
}

export const redisNames: Record<keyof RedisOptions, true> = {
  ...{ client: true, commandTimeout: true, prefix: true, logger: true },
}

/** @param owner What the keys are for; Redis sees a hash of it. */
export function resolveRedis(
  { client, commandTimeout = 2000, prefix = 'social-search', logger }: RedisOptions,
  owner: string,
): { port: Port; link: Link; base: Promise<string>; log: Log } {
  const port = portOf(client)
  const link = new Link(port, milliseconds('commandTimeout', commandTimeout))
  return { port, link, base: keyBase(prefix, owner), log: createLog(logger, new Redactor()) }
}

import { assertOptions, nonEmptyText } from '../../../errors/check-options.ts'
import { type SharedStore, randomId } from '../store.ts'
import { type RedisClient, adapterFor } from './redis-client.ts'

/** Options of {@link redisStore}. */
export interface RedisStoreOptions {
  /** The prefix of the keys and channels in Redis. Default `social-search`. */
  prefix?: string | undefined
}

/** Reads a text with its tag and the clock, or replaces the text if its tag is still the expected one. */
const script = `
local known, time = redis.call('HMGET', KEYS[1], 'tag', 'text'), redis.call('TIME')
local expected, tag, text, keepMs, notice = unpack(ARGV)
if not tag or (known[1] or '') ~= expected then
  return { known[1] or '', known[2] or '', time[1] * 1000 + math.floor(time[2] / 1000) }
end
if text ~= '' then redis.call('HSET', KEYS[1], 'tag', tag, 'text', text) end
if text ~= '' and keepMs ~= '' then redis.call('PEXPIRE', KEYS[1], keepMs) end
if notice ~= '' then redis.call('PUBLISH', KEYS[1], notice) end
return { tag }`

/**
 * Makes a store in Redis or Valkey, also in a cluster. You close the client yourself.
 *
 * @example
 * const limiter = new SharedLimiter({ store: redisStore(redis), organization: 'acme' })
 * @param client A client or cluster client of the npm package `redis`, `ioredis` or `iovalkey`.
 * @throws {ConfigurationError} for another client, or an invalid option.
 */
export function redisStore(client: RedisClient, options: RedisStoreOptions = {}): SharedStore {
  assertOptions(options, { prefix: true })
  const prefix = nonEmptyText('prefix', options.prefix ?? 'social-search')
  const redis = adapterFor(client)
  const run = async (key: string, ...args: string[]): Promise<string[]> =>
    ((await redis.eval(script, `${prefix}:${key}`, args)) as unknown[]).map(String)
  return {
    async update(key, change) {
      let readAt = performance.now()
      let reply = await run(key)
      for (;;) {
        const [expected = '', text, clock] = reply
        const changed = change(expected === '' ? undefined : text, Number(clock), readAt)
        const { value = '', notice = '', keepMs = '', result } = changed
        if (value === '' && notice === '') return result
        const tag = randomId()
        readAt = performance.now()
        reply = await run(key, expected, tag, value, String(keepMs), notice)
        // The client may have repeated the command.
        if (reply[0] === tag) return result
      }
    },
    watch: (key, listener) => redis.subscribe(`${prefix}:${key}`, listener),
  }
}

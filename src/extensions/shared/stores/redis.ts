import { assertOptions, nonEmptyText } from '../../../errors/check-options.ts'
import { randomId } from '../../../lib/hash.ts'
import type { SharedStore } from '../store.ts'
import { type RedisClient, adapterFor } from './redis-client.ts'
import { swapText } from './swap.ts'

/** Options of {@link redisStore}. */
export interface RedisStoreOptions {
  /** The prefix of the keys and channels in Redis. Default `social-search`. */
  prefix?: string | undefined
}

/**
 * Reads a text with its tag and the clock, or replaces the text if its tag is still the expected one and no other process has claimed
 * the next write. Otherwise claims it.
 */
const script = `
local known, time = redis.call('HMGET', KEYS[1], 'tag', 'text', 'by', 'till'), redis.call('TIME')
local me, claimMs, expected, tag, channel, notice, keepMs, text = unpack(ARGV)
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local claimedMs = known[3] and known[3] ~= me and math.max(0, tonumber(known[4]) - now) or 0
if not tag or (known[1] or '') ~= expected or claimedMs > 0 then
  if claimMs ~= '' and claimedMs == 0 then redis.call('HSET', KEYS[1], 'by', me, 'till', now + claimMs) end
  return { known[1] or '', known[2] or '', now, claimedMs }
end
if text then redis.call('HSET', KEYS[1], 'tag', tag, 'text', text) end
if known[3] then redis.call('HDEL', KEYS[1], 'by', 'till') end
if text and keepMs ~= '' then redis.call('PEXPIRE', KEYS[1], keepMs) end
if notice ~= '' then redis.pcall('PUBLISH', channel, notice) end
return { tag }`

/**
 * A store in Redis or Valkey, including clusters. You close the client yourself.
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
  return {
    update(key, change) {
      const channel = `${prefix}:${key}`
      const me = randomId()
      return swapText(change, async (claimMs, swap) => {
        const readAt = performance.now()
        const tag = randomId()
        const { value, notice = '', keepMs = '' } = swap ?? {}
        const text = value === undefined ? [] : [value]
        const args = [me, claimMs ?? '', ...(swap ? [swap.tag, tag, channel, notice, keepMs, ...text] : [])]
        const reply = (await redis.eval(script, channel, args.map(String))) as unknown[]
        const [found = '', known = '', clock, claimedMs] = reply.map(String)
        // The client may have repeated the command.
        if (found === tag) return undefined
        return { tag: found, text: known, clock: Number(clock), claimedMs: Number(claimedMs), readAt }
      })
    },
    watch: (key, listener) => redis.subscribe(`${prefix}:${key}`, listener),
  }
}

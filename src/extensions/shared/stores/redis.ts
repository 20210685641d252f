// A text is a hash with a tag: a script compares the tag and swaps the text, in one step. Messages are published on a channel of the same name.

import { ConfigurationError } from '../../../errors/index.ts'
import { randomId } from '../../../lib/hash.ts'
import { type SharedStore, swapText } from '../store.ts'

/** The methods used of a client or cluster client of the npm package `redis`. */
export interface NodeRedisClient {
  /** Never called; its spelling identifies the package. */
  evalSha(sha1: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  duplicate(): {
    on(event: 'error' | 'ready', listener: () => void): unknown
    connect(): Promise<unknown>
    subscribe(channel: string, listener: (message: string) => void): Promise<unknown>
    destroy?(): void
    /** Only version 4 needs it, which has no `destroy()`. */
    disconnect?(): Promise<unknown>
  }
}

/** The methods used of a client or cluster client of the npm package `ioredis` or `iovalkey`. */
export interface IoRedisClient {
  /** Never called; its spelling identifies the package. */
  evalsha(sha1: string, numkeys: number, ...args: string[]): Promise<unknown>
  eval(script: string, numkeys: number, ...args: string[]): Promise<unknown>
  duplicate(): {
    on(event: 'message', listener: (channel: string, message: string) => void): unknown
    on(event: 'error' | 'ready', listener: () => void): unknown
    subscribe(channel: string): Promise<unknown>
    disconnect(): void
  }
}

/** A client that is connected or connecting. You close it yourself. */
export type RedisClient = NodeRedisClient | IoRedisClient

/** The commands used, the same for all packages. */
interface RedisAdapter {
  eval(script: string, key: string, args: readonly string[]): Promise<unknown>
  /** Subscribes on a second connection. Calls back without a message on each (re)connection; the returned function closes it. */
  subscribe(channel: string, listener: (message?: string) => void): () => void
}

/** @throws {ConfigurationError} if `client` is not a client of these packages. */
function adapterFor(client: RedisClient): RedisAdapter {
  const { evalSha, evalsha } = client as Partial<NodeRedisClient & IoRedisClient>
  if (typeof evalSha === 'function') return nodeRedis(client as NodeRedisClient)
  if (typeof evalsha === 'function') return ioRedis(client as IoRedisClient)
  throw new ConfigurationError('client must be a client of the npm package redis, ioredis or iovalkey')
}

const nodeRedis = (client: NodeRedisClient): RedisAdapter => ({
  eval: (script, key, args) => client.eval(script, { keys: [key], arguments: [...args] }),
  subscribe(channel, listener) {
    const subscriber = client.duplicate()
    const subscribe = keepSubscribed(subscriber, () => subscriber.subscribe(channel, listener), listener)
    // A cluster client is never ready.
    const connected = subscriber.connect().then(subscribe, ignore)
    const destroy = async (): Promise<unknown> =>
      subscriber.destroy ? subscriber.destroy() : subscriber.disconnect?.()
    // It does not end a connection that is being made, so it is called again. Older versions throw then.
    return () =>
      void destroy()
        .then(() => connected)
        .then(destroy)
        .catch(ignore)
  },
})

const ioRedis = (client: IoRedisClient): RedisAdapter => ({
  eval: (script, key, args) => client.eval(script, 1, key, ...args),
  subscribe(channel, listener) {
    const subscriber = client.duplicate()
    subscriber.on('message', (_, message) => listener(message))
    const subscribe = keepSubscribed(subscriber, () => subscriber.subscribe(channel), listener)
    // A lazy client connects at its first command.
    subscribe()
    return () => subscriber.disconnect()
  },
})

/** Subscribes on each connection, since clients give it up after some reconnections. Doing so twice does no harm. */
function keepSubscribed(
  subscriber: { on(event: 'error' | 'ready', listener: () => void): unknown },
  subscribe: () => Promise<unknown>,
  listener: () => void,
): () => void {
  const onReady = (): void => void subscribe().then(() => listener(), ignore)
  subscriber.on('error', ignore)
  subscriber.on('ready', onReady)
  return onReady
}

/** The client reconnects by itself, and processes poll for what they have missed. */
function ignore(): void {
  // Nothing to do.
}

/** The prefix of the keys and channels in Redis. */
const prefix = 'social-search'

/**
 * Reads a text with its tag and the clock, or replaces the text if its tag is still the expected one and no other process has the lock.
 * Otherwise takes the lock. `by` is its holder, `till` its end.
 */
const script = `
local known, time = redis.call('HMGET', KEYS[1], 'tag', 'text', 'by', 'till'), redis.call('TIME')
local holder, lockMs, expected, tag, channel, message, ttlMs, text = unpack(ARGV)
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lockedMs = known[3] and known[3] ~= holder and math.max(0, tonumber(known[4]) - now) or 0
if not tag or (known[1] or '') ~= expected or lockedMs > 0 then
  if lockMs ~= '' and lockedMs == 0 then redis.call('HSET', KEYS[1], 'by', holder, 'till', now + lockMs) end
  return { known[1] or '', known[2] or '', now, lockedMs }
end
redis.call('HSET', KEYS[1], 'tag', tag, 'text', text)
if known[3] then redis.call('HDEL', KEYS[1], 'by', 'till') end
if ttlMs ~= '' then redis.call('PEXPIRE', KEYS[1], ttlMs) end
if message ~= '' then redis.pcall('PUBLISH', channel, message) end
return { tag }`

/**
 * A store in Redis or Valkey, including clusters. You close the client yourself.
 *
 * @example
 * const limiter = new SharedLimiter({ store: redisStore(redis), organization: 'acme' })
 * @param client A client or cluster client of the npm package `redis`, `ioredis` or `iovalkey`.
 * @throws {ConfigurationError} for another client.
 */
export function redisStore(client: RedisClient): SharedStore {
  const redis = adapterFor(client)
  return {
    update(key, change) {
      const channel = `${prefix}:${key}`
      const holder = randomId()
      return swapText(change, async (lockMs, swap) => {
        const readAt = performance.now()
        const tag = randomId()
        const written = swap && [swap.tag, tag, channel, swap.message ?? '', swap.ttlMs ?? '', swap.value]
        const args = [holder, lockMs ?? '', ...(written ?? [])]
        const reply = (await redis.eval(script, channel, args.map(String))) as unknown[]
        const [found = '', known = '', clock, lockedMs] = reply.map(String)
        // The client may have repeated the command.
        if (found === tag) return undefined
        return { tag: found, text: known, clock: Number(clock), lockedMs: Number(lockedMs), readAt }
      })
    },
    watch: (key, listener) => redis.subscribe(`${prefix}:${key}`, listener),
  }
}

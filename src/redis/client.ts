import { ConfigurationError } from '../errors/index.ts'

/** The methods used of a client or cluster client of the npm package `redis`. */
export interface NodeRedisClient {
  /** Never called; its spelling identifies the package. */
  evalSha(sha1: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  duplicate(): {
    on(event: 'error' | 'ready', listener: () => void): unknown
    connect(): Promise<unknown>
    subscribe(channel: string, listener: (message: string) => void): Promise<unknown>
    destroy(): void
  }
}

/** The methods used of a client or cluster client of the npm package `ioredis`. */
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

/** The commands used, the same for both packages. */
export interface RedisAdapter {
  eval(source: string, keys: readonly string[], args: readonly string[]): Promise<unknown>
  /** Subscribes on a second connection. Calls `onReady` on each (re)connection; the returned function closes it. */
  subscribe(channel: string, listener: (message: string) => void, onReady: () => void): () => void
}

/** @throws {ConfigurationError} if `client` is not a client of either package. */
export function adapterFor(client: RedisClient): RedisAdapter {
  if (has(client, 'evalSha')) return nodeRedis(client as NodeRedisClient)
  if (has(client, 'evalsha')) return ioRedis(client as IoRedisClient)
  throw new ConfigurationError('client must be a client of the npm package redis or ioredis')
}

function nodeRedis(client: NodeRedisClient): RedisAdapter {
  return {
    eval: async (source, keys, args) => client.eval(source, { keys: [...keys], arguments: [...args] }),
    subscribe(channel, listener, onReady) {
      const subscriber = client.duplicate()
      subscriber.on('error', ignore)
      subscriber.on('ready', onReady)
      const listening = subscriber.connect().then(() => subscriber.subscribe(channel, listener))
      listening.catch(ignore)
      return () => attempt(() => subscriber.destroy())
    },
  }
}

function ioRedis(client: IoRedisClient): RedisAdapter {
  return {
    eval: async (source, keys, args) => client.eval(source, keys.length, ...keys, ...args),
    subscribe(channel, listener, onReady) {
      const subscriber = client.duplicate()
      const subscribe = (): void => void subscriber.subscribe(channel).catch(ignore)
      subscriber.on('error', ignore)
      subscriber.on('message', (_, message) => listener(message))
      // ioredis gives up a command after some reconnections. Subscribing twice does no harm.
      subscriber.on('ready', subscribe)
      subscriber.on('ready', onReady)
      subscribe()
      return () => attempt(() => subscriber.disconnect())
    },
  }
}

function has(client: unknown, method: string): boolean {
  return typeof (client as Record<string, unknown> | null | undefined)?.[method] === 'function'
}

/** The client reconnects by itself, and the limiter polls for messages missed meanwhile. */
function ignore(): void {
  // Nothing to do.
}

function attempt(work: () => void): void {
  try {
    work()
  } catch {
    // The connection was never made.
  }
}

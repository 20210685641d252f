import { ConfigurationError } from '../errors.ts'

/** What is needed of a client of the npm package `redis`, a cluster's included. */
export interface NodeRedisClient {
  /** Not called: its spelling tells the packages apart. */
  evalSha(sha1: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>
  duplicate(): {
    on(event: 'error' | 'ready', listener: () => void): unknown
    connect(): Promise<unknown>
    subscribe(channel: string, listener: (message: string) => void): Promise<unknown>
    destroy(): void
  }
}

/** What is needed of a client of the npm package `ioredis`, a cluster's included. */
export interface IoRedisClient {
  /** Not called: its spelling tells the packages apart. */
  evalsha(sha1: string, numkeys: number, ...args: string[]): Promise<unknown>
  eval(script: string, numkeys: number, ...args: string[]): Promise<unknown>
  duplicate(): {
    on(event: 'message', listener: (channel: string, message: string) => void): unknown
    on(event: 'error' | 'ready', listener: () => void): unknown
    subscribe(channel: string): Promise<unknown>
    disconnect(): void
  }
}

/** A client that is connected, or is about to be; it stays yours to close. */
export type RedisClient = NodeRedisClient | IoRedisClient

/** The same few commands, whatever the client. */
export interface Port {
  eval(source: string, keys: readonly string[], args: readonly string[]): Promise<unknown>
  /** Listens on a connection of its own, and tells whenever there is one; the returned function ends it. */
  listen(channel: string, listener: (message: string) => void, onReady: () => void): () => void
}

/** @throws {ConfigurationError} for what is no client of either package. */
export function portOf(client: RedisClient): Port {
  if (has(client, 'evalSha')) return nodeRedis(client as NodeRedisClient)
  if (has(client, 'evalsha')) return ioRedis(client as IoRedisClient)
  throw new ConfigurationError('client must be a client of the npm package redis or ioredis')
}

function nodeRedis(client: NodeRedisClient): Port {
  const options = (keys: readonly string[], args: readonly string[]) => ({
    keys: [...keys],
    arguments: [...args],
  })
  return {
    eval: async (source, keys, args) => client.eval(source, options(keys, args)),
    listen(channel, listener, onReady) {
      const own = client.duplicate()
      own.on('error', ignore)
      own.on('ready', onReady)
      const listening = own.connect().then(() => own.subscribe(channel, listener))
      listening.catch(ignore)
      return () => attempt(() => own.destroy())
    },
  }
}

function ioRedis(client: IoRedisClient): Port {
  return {
    eval: async (source, keys, args) => client.eval(source, keys.length, ...keys, ...args),
    listen(channel, listener, onReady) {
      const own = client.duplicate()
      const subscribe = (): void => void own.subscribe(channel).catch(ignore)
      own.on('error', ignore)
      own.on('message', (_, message) => listener(message))
      // It gives a command up after some reconnections; subscribing twice changes nothing.
      own.on('ready', subscribe)
      own.on('ready', onReady)
      subscribe()
      return () => attempt(() => own.disconnect())
    },
  }
}

function has(client: unknown, method: string): boolean {
  return typeof (client as Record<string, unknown> | null | undefined)?.[method] === 'function'
}

/** The client reconnects by itself, and what it misses meanwhile is found out by asking. */
function ignore(): void {
  // Nothing to do.
}

function attempt(work: () => void): void {
  try {
    work()
  } catch {
    // A connection that never came about cannot be ended.
  }
}

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
export interface RedisAdapter {
  eval(script: string, key: string, args: readonly string[]): Promise<(string | undefined)[]>
  /** Subscribes on a second connection. Calls back without a message on each (re)connection; the returned function closes it. */
  subscribe(channel: string, listener: (message?: string) => void): () => void
}

/** @throws {ConfigurationError} if `client` is not a client of these packages. */
export function adapterFor(client: RedisClient): RedisAdapter {
  const { evalSha, evalsha } = client as Partial<NodeRedisClient & IoRedisClient>
  if (typeof evalSha === 'function') return nodeRedis(client as NodeRedisClient)
  if (typeof evalsha === 'function') return ioRedis(client as IoRedisClient)
  throw new ConfigurationError('client must be a client of the npm package redis, ioredis or iovalkey')
}

function nodeRedis(client: NodeRedisClient): RedisAdapter {
  return {
    eval: async (script, key, args) =>
      reply(await client.eval(script, { keys: [key], arguments: [...args] })),
    subscribe(channel, listener) {
      const subscriber = client.duplicate()
      subscriber.on('error', ignore)
      let isConnected = false
      subscriber.on('ready', () => {
        if (isConnected) listener()
        isConnected = true
      })
      subscriber
        .connect()
        .then(() => subscriber.subscribe(channel, listener))
        .then(() => listener(), ignore)
      return () => attempt(() => subscriber.destroy())
    },
  }
}

function ioRedis(client: IoRedisClient): RedisAdapter {
  return {
    eval: async (script, key, args) => reply(await client.eval(script, 1, key, ...args)),
    subscribe(channel, listener) {
      const subscriber = client.duplicate()
      // ioredis gives up a command after some reconnections. Subscribing twice does no harm.
      const subscribe = (): void => void subscriber.subscribe(channel).then(() => listener(), ignore)
      subscriber.on('error', ignore)
      subscriber.on('message', (_, message) => listener(message))
      subscriber.on('ready', subscribe)
      subscriber.subscribe(channel).catch(ignore)
      return () => attempt(() => subscriber.disconnect())
    },
  }
}

function reply(value: unknown): string[] {
  return (value as unknown[]).map(String)
}

/** The client reconnects by itself, and processes look for what they have missed. */
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

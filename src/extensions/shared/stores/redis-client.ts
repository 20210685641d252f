import { ConfigurationError } from '../../../errors/index.ts'

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
export interface RedisAdapter {
  eval(script: string, key: string, args: readonly string[]): Promise<unknown>
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

/** The client reconnects by itself, and processes look for what they have missed. */
function ignore(): void {
  // Nothing to do.
}

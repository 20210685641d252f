import { sleep } from '../../../lib/time.ts'

/** The methods used of a pool of the npm package `pg`. You end it yourself. */
export interface PostgresPool {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>
  connect(): Promise<PostgresClient>
}

/** The methods used of a client of the npm package `pg`. */
export interface PostgresClient {
  query(text: string): Promise<unknown>
  on(event: 'notification', listener: (message: { payload?: string | undefined }) => void): unknown
  on(event: 'error' | 'end', listener: () => void): unknown
  release(destroy: boolean): void
}

type Watch = (key: string, listener: (notice?: string) => void) => () => void

/** How long it waits before it listens again, in milliseconds. */
const reconnectMs = 500

/** Makes a function that watches the notices of a key. All keys share one connection, which is open while some are watched. */
export function watchNotices(pool: PostgresPool, channel: string): Watch {
  const listeners = new Set<(payload?: string) => void>()
  let isListening = false
  let stop = (): void => {}

  const listen = async (): Promise<void> => {
    let end = (): void => {}
    const ended = new Promise<void>((resolve) => (end = resolve))
    stop = end
    const client = await pool.connect()
    try {
      client.on('error', end)
      client.on('end', end)
      client.on('notification', ({ payload = '' }) => listeners.forEach((listener) => listener(payload)))
      await client.query(`listen ${channel}`)
      for (const listener of listeners) listener()
      await ended
    } finally {
      client.release(true)
    }
  }
  const keepListening = async (): Promise<void> => {
    isListening = true
    while (listeners.size > 0) {
      await listen().catch(() => {})
      // Once nobody listens, nothing keeps the process from ending.
      if (listeners.size > 0) await sleep(reconnectMs)
    }
    isListening = false
  }

  return (key, listener) => {
    const onPayload = (payload?: string): void => {
      if (payload === undefined) listener()
      else if (payload.startsWith(`${key}\n`)) listener(payload.slice(key.length + 1))
    }
    listeners.add(onPayload)
    if (!isListening) void keepListening()
    return () => {
      listeners.delete(onPayload)
      if (listeners.size === 0) stop()
    }
  }
}

import { Redis } from 'ioredis'
import { createClient } from 'redis'
import type { RedisClient } from '../../src/redis/index.ts'

/** The packages whose clients are supported. */
export const packages = ['redis', 'ioredis'] as const
export type Package = (typeof packages)[number]

export interface Connection {
  readonly client: RedisClient
  /** Ends it without a message. */
  cut(): void
}

/** Connects as a user would, with errors going nowhere. */
export async function connect(name: Package, url: string): Promise<Connection> {
  if (name === 'ioredis') {
    const client = new Redis(url)
    client.on('error', () => {})
    return { client, cut: () => client.disconnect() }
  }
  const client = createClient({ url })
  client.on('error', () => {})
  await client.connect()
  return { client, cut: () => client.destroy() }
}

import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { Pool } from 'pg'
import {
  postgresStore,
  type RedisClient,
  redisStore,
  type SharedStore,
} from '../../src/extensions/shared/index.ts'

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

/** A store of one's own connection, and what ends that without a message. */
export async function openStore(
  name: Package | 'postgres',
  url: string,
): Promise<{ store: SharedStore; cut(): void }> {
  if (name !== 'postgres') {
    const { client, cut } = await connect(name, url)
    return { store: redisStore(client), cut }
  }
  const pool = new Pool({ connectionString: url, max: 4, connectionTimeoutMillis: 10_000 })
  pool.on('error', () => {})
  return { store: postgresStore(pool), cut: () => void pool.end() }
}

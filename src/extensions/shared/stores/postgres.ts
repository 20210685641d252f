// A text is a row with a tag: one statement compares the tag and swaps the text. Messages are notifications of Postgres.

import { assertMethod } from '../../../errors/check-options.ts'
import { randomId } from '../../../lib/hash.ts'
import {
  type CompareAndSwap,
  type Listener,
  type SharedStore,
  type TaggedText,
  Listeners,
  swapText,
} from '../store.ts'
import { sleep } from '../../../lib/time.ts'

/** The table of the texts, which the store creates if it is missing, and the channel of the messages. */
const table = 'social_search_shared'
const columns = '(key text primary key, tag text not null, value text not null)'

/** Codes of Postgres. */
const [missingTable, notAllowed] = ['42P01', '42501']
/** What a statement ends with that has met another one: then it has lost to it. */
const lostCodes = ['40001', '40P01']

const codeOf = (error: unknown): string => String((error as { code?: unknown } | null)?.code)

/**
 * Makes a store in Postgres. No transaction stays open between two statements, so a process that stops blocks no other. A
 * store keeps one connection of its pool to listen, so a pool needs two.
 *
 * @example
 * import { Pool } from 'pg'
 *
 * const pool = new Pool({ connectionString: 'postgres://db.internal/acme' })
 * const limiter = new SharedLimiter({ store: postgresStore(pool), organization: 'acme' })
 * @throws {ConfigurationError} for another pool.
 */
export function postgresStore(pool: PostgresPool): SharedStore {
  assertMethod('pool', pool, 'query')
  const query = async (text: string, values: unknown[]): Promise<unknown[]> => {
    const run = async (): Promise<unknown[]> => (await pool.query(text, values)).rows
    return run().catch(async (error: unknown) => {
      if (lostCodes.includes(codeOf(error))) return []
      if (codeOf(error) !== missingTable) throw error
      // Another process may create it at the same time, which fails.
      await pool.query(`create table if not exists ${table} ${columns}`, []).catch((error: unknown) => {
        if (codeOf(error) === notAllowed)
          throw new Error(`create table ${table} ${columns}, since this role may not`)
      })
      return run()
    })
  }
  return {
    update(key, change) {
      const holder = randomId()
      const compareAndSwap: CompareAndSwap = async (lockMs, swap) => {
        if (swap !== undefined) {
          const { tag, value, message, ttlMs } = swap
          const payload = message === undefined ? null : `${key}\n${message}`
          const values = [key, holder, randomId(), value, payload, ttlMs !== undefined, tag]
          if ((await query(write, values)).length > 0) return undefined
        }
        const readAt = performance.now()
        const rows = lockMs === undefined ? query(read, [key, holder]) : query(lock, [key, holder, lockMs])
        const [row] = (await rows) as Omit<TaggedText, 'readAt'>[]
        return row === undefined ? compareAndSwap(lockMs) : { ...row, readAt }
      }
      return swapText(change, compareAndSwap)
    },
    watch: watchMessages(pool),
  }
}

// Statements: their first values are the key of a text and the holder of a lock. A lock is a row of its own: its holder is its tag, its end
// its value.

const clock = 'extract(epoch from clock_timestamp())::float8 * 1000'
// What may be lost in a crash does not wait for the disk.
const skipDisk = `set_config('synchronous_commit', 'off', true)`
const read = `
  select coalesce(text.tag, '') as tag, text.value as text, ${clock} as clock,
    coalesce(lock.value::float8 - ${clock}, 0) as "lockedMs"
  from (select) as one
  left join ${table} as text on text.key = $1::text
  left join ${table} as lock on lock.key = $1::text || '!' and lock.tag <> $2::text`
// Takes the lock for $3 milliseconds if it is free, and reads.
const lock = `
  with taken as (
    insert into ${table} as lock (key, tag, value) values ($1::text || '!', $2, ${clock} + $3::float8)
    on conflict (key) do update set tag = excluded.tag, value = excluded.value
    where lock.tag = excluded.tag or lock.value::float8 < ${clock}
    returning ${skipDisk}
  ) ${read}`
// Writes the text $4 with the tag $3, if its tag is still $7 and nobody else has the lock. Frees the lock, and sends the message $5.
const write = `
  with written as (
    insert into ${table} as text (key, tag, value)
    select $1::text, $3, $4
    where ($7::text = '' or exists (select from ${table} where key = $1 and tag = $7))
      and not exists (select from ${table}
        where key = $1 || '!' and tag <> $2::text and value::float8 > ${clock})
    on conflict (key) do update set tag = excluded.tag, value = excluded.value where text.tag = $7
    returning case when $6::boolean then ${skipDisk} end
  ), freed as (
    update ${table} set value = '0' where key = $1 || '!' and tag = $2 and exists (select from written)
  )
  select case when $5::text is not null then pg_notify('${table}', $5) end from written`

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

type Watch = (key: string, listener: Listener) => () => void

/** How long it waits before it listens again, in milliseconds. */
const reconnectMs = 500

/** Makes a function that watches the messages about a text. All keys share one connection, which is open while some are watched. */
function watchMessages(pool: PostgresPool): Watch {
  const listeners = new Listeners()
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
      client.on('notification', ({ payload = '' }) => {
        const [key = '', ...message] = payload.split('\n')
        listeners.notify(key, message.join('\n'))
      })
      await client.query(`listen ${table}`)
      listeners.reset()
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
    const end = listeners.add(key, listener)
    if (!isListening) void keepListening()
    return () => {
      end()
      if (listeners.size === 0) stop()
    }
  }
}

import { assertMethod, assertOptions, requireOption } from '../../../errors/check-options.ts'
import { randomId } from '../../../lib/hash.ts'
import type { SharedStore } from '../store.ts'
import { type Listener, Listeners } from './listeners.ts'
import { type Exchange, type Reading, swapText } from './swap.ts'
import { sleep } from '../../../lib/time.ts'

/** Options of {@link postgresStore}. */
export interface PostgresStoreOptions {
  /** The table of the texts. The store creates it if it is missing. Default `social_search_shared`. */
  table?: string | undefined
}

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
 * @throws {ConfigurationError} for another pool, or an invalid option.
 */
export function postgresStore(pool: PostgresPool, options: PostgresStoreOptions = {}): SharedStore {
  assertOptions(options, { table: true })
  assertMethod('pool', pool, 'query')
  const { table = 'social_search_shared' } = options
  requireOption(
    table,
    /^[a-z_][a-z0-9_]{0,40}$/.test(table),
    'table must be a name of small letters, digits and _',
  )
  const columns = '(key text primary key, tag text not null, value text not null)'
  const now = 'extract(epoch from clock_timestamp())::float8 * 1000'
  // A lock is a row of its own: its holder is the tag, its end the value.
  const locked = `from ${table} where key = $1::text || '!' and tag <> $2::text`
  const read = `select coalesce(tag, '') as tag, value as text, ${now} as clock,
    coalesce((select value::float8 - ${now} ${locked}), 0) as "lockedMs" from (select) as one left join ${table} on key = $1`
  // What may be lost in a crash does not wait for the disk.
  const hurried = `set_config('synchronous_commit', 'off', true)`
  const lock = `with mine as (insert into ${table} as old (key, tag, value) values ($1::text || '!', $2, ${now} + $3::float8)
    on conflict (key) do update set tag = excluded.tag, value = excluded.value
    where old.tag = excluded.tag or old.value::float8 < ${now} returning ${hurried}) ${read}`
  const isFree = `not exists (select ${locked} and value::float8 > ${now})`
  const done = `returning case when $6::boolean then ${hurried} end),
    freed as (update ${table} set value = '0' where key = $1::text || '!' and tag = $2 and exists (select from done))
    select case when $5::text is not null then pg_notify('${table}', $5) end from done`
  const insert = `with done as (insert into ${table} (key, tag, value) select $1, $3, $4 where ${isFree}
    on conflict do nothing ${done}`
  const replace = `with done as (update ${table} set tag = $3, value = $4 where key = $1 and tag = $7 and ${isFree} ${done}`

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
      const me = randomId()
      const exchange: Exchange = async (lockMs, swap) => {
        if (swap !== undefined) {
          const { tag, value, notice, keepMs } = swap
          const payload = notice === undefined ? null : `${key}\n${notice}`
          const values = [key, me, randomId(), value, payload, keepMs !== undefined]
          const rows =
            value === undefined
              ? query('select pg_notify($1, $2)', [table, payload])
              : tag === ''
                ? query(insert, values)
                : query(replace, [...values, tag])
          if ((await rows).length > 0) return undefined
        }
        const readAt = performance.now()
        const rows = lockMs === undefined ? query(read, [key, me]) : query(lock, [key, me, lockMs])
        const [row] = (await rows) as Omit<Reading, 'readAt'>[]
        return row === undefined ? exchange(lockMs) : { ...row, readAt }
      }
      return swapText(change, exchange)
    },
    watch: watchNotices(pool, table),
  }
}

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

/** Makes a function that watches the notices of a key. All keys share one connection, which is open while some are watched. */
function watchNotices(pool: PostgresPool, channel: string): Watch {
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
        const [key = '', ...notice] = payload.split('\n')
        listeners.notify(key, notice.join('\n'))
      })
      await client.query(`listen ${channel}`)
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

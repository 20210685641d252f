import { assertMethod, assertOptions, checked } from '../errors/check-options.ts'
import { type SharedStore, randomId } from '../shared/store.ts'

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

/** Options of {@link postgresStore}. */
export interface PostgresStoreOptions {
  /** The table of the texts. The store creates it if it is missing. Default `social_search_shared`. */
  table?: string | undefined
}

/** How long it waits before it listens again, in milliseconds. */
const reconnectMs = 500

/**
 * Makes a store in Postgres. No transaction stays open between two statements, so a process that stops blocks no other. A
 * pool needs one connection for each limiter, which listens, and one more.
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
  checked(table, /^[a-z_][a-z0-9_]{0,40}$/.test(table), 'table must be a name of small letters, digits and _')
  const create = `create table if not exists ${table} (key text primary key, tag text not null, value text not null)`
  const read = `select tag, value, extract(epoch from clock_timestamp()) * 1000 as clock
    from (select) as one left join ${table} on key = $1`
  const insert = `insert into ${table} (key, tag, value) values ($1, $2, $3) on conflict do nothing returning 1`
  const replace = `update ${table} set tag = $2, value = $3 where key = $1 and tag = $4 returning 1`
  let created: Promise<unknown> | undefined
  return {
    async update(key, change) {
      // Two processes may create it at the same time.
      await (created ??= pool.query(create, []).catch(() => (created = undefined)))
      for (;;) {
        const readAt = performance.now()
        const { tag, value: text, clock } = (await pool.query(read, [key])).rows[0] as Row
        const { value, notice, result } = change(text ?? undefined, Math.round(Number(clock)), readAt)
        const tags = tag === null ? [] : [tag]
        const written =
          value === undefined
            ? [1]
            : (await pool.query(tag === null ? insert : replace, [key, randomId(), value, ...tags])).rows
        if (written.length === 0) continue
        if (notice !== undefined) await pool.query('select pg_notify($1, $2)', [table, `${key} ${notice}`])
        return result
      }
    },
    watch: (key, listener) => listen(pool, table, key, listener),
  }
}

interface Row {
  readonly tag: string | null
  readonly value: string | null
  readonly clock: string
}

function listen(
  pool: PostgresPool,
  table: string,
  key: string,
  listener: (notice?: string) => void,
): () => void {
  let client: PostgresClient | undefined
  let timer: ReturnType<typeof setTimeout> | undefined
  let isEnded = false
  const end = (): void => {
    client?.release(true)
    client = undefined
  }
  const again = (): void => {
    end()
    clearTimeout(timer)
    if (!isEnded) timer = setTimeout(() => void connect().catch(again), reconnectMs)
  }
  const connect = async (): Promise<void> => {
    client = await pool.connect()
    client.on('error', again)
    client.on('end', again)
    client.on('notification', ({ payload = '' }) => {
      if (payload.startsWith(`${key} `)) listener(payload.slice(key.length + 1))
    })
    await client.query(`listen ${table}`)
    if (isEnded) end()
    else listener()
  }
  connect().catch(again)
  return () => {
    isEnded = true
    clearTimeout(timer)
    end()
  }
}

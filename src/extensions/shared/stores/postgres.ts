import { assertMethod, assertOptions, checked } from '../../../errors/check-options.ts'
import { type SharedStore, randomId } from '../store.ts'
import { type PostgresPool, watchNotices } from './postgres-notices.ts'

/** Options of {@link postgresStore}. */
export interface PostgresStoreOptions {
  /** The table of the texts. The store creates it if it is missing. Default `social_search_shared`. */
  table?: string | undefined
}

interface Row {
  /** Changes with the text; null if there is none. */
  readonly tag: string | null
  readonly value: string | null
  readonly clock: string
}

/** The code of Postgres for a table that does not exist. */
const missingTable = '42P01'

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
  checked(table, /^[a-z_][a-z0-9_]{0,40}$/.test(table), 'table must be a name of small letters, digits and _')
  const create = `create table if not exists ${table} (key text primary key, tag text not null, value text not null)`
  const read = `select tag, value, extract(epoch from clock_timestamp()) * 1000 as clock
    from (select) as one left join ${table} on key = $1`
  const insert = `insert into ${table} (key, tag, value) values ($1, $2, $3) on conflict do nothing returning 1`
  const replace = `update ${table} set tag = $2, value = $3 where key = $1 and tag = $4 returning 1`
  const readRow = async (key: string): Promise<Row> => {
    const run = () => pool.query(read, [key])
    const { rows } = await run().catch(async (error: unknown) => {
      if ((error as { code?: unknown }).code !== missingTable) throw error
      // Another process may create it at the same time, which fails.
      await pool.query(create, []).catch(() => {})
      return run()
    })
    return rows[0] as Row
  }
  return {
    async update(key, change) {
      for (;;) {
        const readAt = performance.now()
        const { tag, value: text, clock } = await readRow(key)
        const { value, notice, result } = change(text ?? undefined, Math.round(Number(clock)), readAt)
        const values = [key, randomId(), value, ...(tag === null ? [] : [tag])]
        const write = () => pool.query(tag === null ? insert : replace, values)
        if (value !== undefined && (await write()).rows.length === 0) continue
        if (notice !== undefined) await pool.query('select pg_notify($1, $2)', [table, `${key}\n${notice}`])
        return result
      }
    },
    watch: watchNotices(pool, table),
  }
}

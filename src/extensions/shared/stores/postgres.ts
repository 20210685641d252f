import { assertMethod, assertOptions, requireOption } from '../../../errors/check-options.ts'
import { sleep } from '../../../lib/time.ts'
import { type SharedStore, backOffMs, claimMsFor, randomId } from '../store.ts'
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
  /** Whether no other process has claimed the next write. */
  readonly isMine: boolean
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
  const create = `create table if not exists ${table} ${columns}`
  const now = 'extract(epoch from clock_timestamp()) * 1000'
  const read = `select tag, value, ${now} as clock, true as "isMine" from (select) as one left join ${table} on key = $1`
  // A write that has lost to another one claims the next write for some milliseconds, in a row of its own: otherwise a process
  // that is far away would lose to near ones for ever.
  const claim = `with mine as (insert into ${table} as old (key, tag, value) values ($1::text || '!', $2, ${now} + $3::float8)
    on conflict (key) do update set tag = excluded.tag, value = excluded.value
    where old.tag = excluded.tag or old.value::float8 < ${now} returning 1)
    select tag, value, ${now} as clock, exists (select from mine) as "isMine" from (select) as one left join ${table} on key = $1`
  const isFree = `not exists (select from ${table} where key = $1::text || '!' and tag <> $4::text and value::float8 > ${now})`
  const notify = `select case when $5::text is not null then pg_notify('${table}', $5) end from done`
  const insert = `with done as (insert into ${table} (key, tag, value) select $1, $2, $3 where ${isFree}
    on conflict do nothing returning 1) ${notify}`
  const replace = `with done as (update ${table} set tag = $2, value = $3 where key = $1 and tag = $6 and ${isFree} returning 1) ${notify}`

  const query = async (text: string, values: unknown[]): Promise<unknown[]> => {
    try {
      return (await pool.query(text, values)).rows
    } catch (error) {
      if (lostCodes.includes(codeOf(error))) return []
      throw error
    }
  }
  const readRow = async (text: string, values: unknown[]): Promise<Row | undefined> => {
    const run = async () => (await query(text, values))[0] as Row | undefined
    return run().catch(async (error: unknown) => {
      if (codeOf(error) !== missingTable) throw error
      // Another process may create it at the same time, which fails.
      await pool.query(create, []).catch((error: unknown) => {
        if (codeOf(error) === notAllowed)
          throw new Error(`create table ${table} ${columns}, since this role may not`)
      })
      return run()
    })
  }
  return {
    async update(key, change) {
      const me = randomId()
      let claimMs = 0
      for (let isFirst = true; ; isFirst = false) {
        const readAt = performance.now()
        const row = await (isFirst ? readRow(read, [key]) : readRow(claim, [key, me, claimMs]))
        claimMs = claimMsFor(performance.now() - readAt)
        if (row?.isMine === true) {
          const { tag, value: text, clock } = row
          const { value, notice, result } = change(text ?? undefined, Number(clock), readAt)
          const payload = notice === undefined ? null : `${key}\n${notice}`
          const values = [key, randomId(), value, me, payload, ...(tag === null ? [] : [tag])]
          const write = (): Promise<unknown[]> =>
            value === undefined
              ? query('select pg_notify($1, $2)', [table, payload])
              : query(tag === null ? insert : replace, values)
          const isDone = (value === undefined && notice === undefined) || (await write()).length > 0
          if (isDone && !isFirst) pool.query(claim, [key, me, 0]).catch(() => {})
          if (isDone) return result
        } else await sleep(Math.random() * backOffMs)
      }
    },
    watch: watchNotices(pool, table),
  }
}

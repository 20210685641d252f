import type { DatabaseSync } from 'node:sqlite'
import { type Collection, withCollection } from './open-database.ts'
import type { Gap } from './searches.ts'
import { type RecordTable, sqlName } from './tables.ts'

/** How far a collection reaches. */
export interface Reach {
  readonly records: number
  /** When the oldest and the newest record were published, ISO 8601; null if unknown. */
  readonly from: string | null
  readonly to: string | null
  /** When the service was last asked. */
  readonly lastCheck: string | null
  /** How many times are missing in between. */
  readonly gaps: number
  /** The queries of its searches, the latest first. */
  readonly searches: readonly string[]
}

/** How a query was searched. */
interface Checks {
  readonly command: string
  readonly params: unknown
  readonly firstCheck: string | null
  readonly lastCheck: string | null
}

/** What a collection has of one search. */
export interface DescribedSearch extends Omit<Reach, 'gaps' | 'searches'> {
  readonly search: string
  readonly network: string | null
  /** Null if the service does not document who wrote the records. */
  readonly authors: number | null
  readonly gaps: readonly Gap[]
  readonly credits: number
  /** Credits that may have been charged. */
  readonly uncertain: number
  readonly checks: readonly Checks[]
}

/** What a collection has, what is missing, and what it cost. */
export interface Description {
  readonly searches: readonly DescribedSearch[]
  readonly tables: Readonly<Record<string, number>>
  /** Credits under each `--cost-label`, those included that may have been charged. */
  readonly labels: Readonly<Record<string, number>>
}

/** @throws {UsageError} for a file without records. */
export function describeCollection(path: string): Promise<Description> {
  return withCollection(path, 'describe', (collection) => {
    const { database, tables } = collection
    const groups = database
      .prepare(
        `SELECT search, network, records, max(last_look) AS last_look FROM social_search_searches
         GROUP BY search, network, records ORDER BY min(number)`,
      )
      .all()
    const counts = tables.map(({ name }) => {
      const row = database.prepare(`SELECT count(*) AS records FROM ${sqlName(name)}`).get()
      return [name, Number(row?.['records'])]
    })
    return {
      searches: groups.flatMap((group) => {
        const table = tables.find(({ name }) => name === group['records'])
        // What an agent paid for may be no list, such as a company.
        return table === undefined && group['records'] !== '' ? [] : [searchOf(database, table, group)]
      }),
      tables: Object.fromEntries(counts) as Record<string, number>,
      labels: labelsOf(database),
    }
  })
}

function labelsOf(database: DatabaseSync): Record<string, number> {
  const rows = database
    .prepare(
      `SELECT label, sum(credits + uncertain) AS credits FROM social_search_purchases
       WHERE label IS NOT NULL GROUP BY label ORDER BY credits DESC, label`,
    )
    .all()
  return Object.fromEntries(rows.map(({ label, credits }) => [String(label), Number(credits)]))
}

export function reachOf({ database, tables }: Collection): Reach {
  const reaches = tables.map((table) => timesOf(database, table))
  const times = (name: 'from' | 'to'): string[] =>
    reaches.map((each) => each[name]).filter((time) => time !== null)
  const names = tables.map(({ name }) => `'${name}'`).join(', ')
  const row = database
    .prepare(
      `SELECT max(last_look) AS last, (SELECT count(*) FROM social_search_missing WHERE search IN
         (SELECT number FROM social_search_searches WHERE records IN (${names}))) AS gaps
       FROM social_search_searches WHERE records IN (${names})`,
    )
    .get()
  const searches = database
    .prepare(
      `SELECT search FROM social_search_searches WHERE records IN (${names}) AND network IS NOT NULL
       GROUP BY search ORDER BY max(last_look) DESC, max(number) DESC`,
    )
    .all()
  return {
    records: reaches.reduce((sum, { records }) => sum + records, 0),
    ...{ from: times('from').sort()[0] ?? null, to: times('to').sort().at(-1) ?? null },
    ...{ lastCheck: isoOf(row?.['last']), gaps: Number(row?.['gaps']) },
    searches: searches.map(({ search }) => String(search)),
  }
}

type Row = Readonly<Record<string, unknown>>

/** Rows of a table that a search has returned. */
const ofSearch = `number IN (SELECT results.number FROM social_search_results AS results WHERE results.search IN
  (SELECT number FROM social_search_searches WHERE search = ?1 AND network IS ?2 AND records = ?3))`

function searchOf(database: DatabaseSync, table: RecordTable | undefined, group: Row): DescribedSearch {
  const key = [group['search'], group['network'], table?.name ?? ''] as [string, string | null, string]
  const none = { records: 0, authors: null, from: null, to: null }
  const { records, authors, ...times } = table === undefined ? none : timesOf(database, table, key)
  const all = (sql: string): Row[] => database.prepare(sql).all(...key)
  const mine = '(searches.search = ?1 AND network IS ?2 AND records = ?3)'
  const [spent] = database
    .prepare(
      `SELECT ifnull(sum(credits), 0) AS credits, ifnull(sum(uncertain), 0) AS uncertain
       FROM social_search_spent WHERE search = ? AND network IS ? AND records = ?`,
    )
    .all(...key)
  const gaps = all(
    `SELECT "from", "to" FROM social_search_missing AS missing
     JOIN social_search_searches AS searches ON searches.number = missing.search WHERE ${mine}`,
  ) as unknown as Gap[]
  const lastCheck = isoOf(group['last_look'])
  const checks = all(
    `SELECT command, params, first_look, last_look FROM social_search_searches AS searches WHERE ${mine}`,
  )
  return {
    ...{ search: key[0], network: key[1], records, authors, ...times },
    gaps: gaps.map(({ from, to }) => ({ from, to })),
    ...{ credits: Number(spent?.['credits']), uncertain: Number(spent?.['uncertain']), lastCheck },
    checks: checks.map((check) => ({
      command: String(check['command']),
      params: JSON.parse(String(check['params'])) as unknown,
      ...{ firstCheck: isoOf(check['first_look']), lastCheck: isoOf(check['last_look']) },
    })),
  }
}

/** @param key The search whose records and authors count. Default: all records, and no authors. */
function timesOf(
  database: DatabaseSync,
  { name, time, authors }: RecordTable,
  key?: [string, string | null, string],
) {
  const [author] = key === undefined ? [] : authors
  const at = time === undefined ? 'NULL' : `time_of(${sqlName(time)})`
  // Without the limit, SQLite would read each time twice.
  const row = database
    .prepare(
      `SELECT count(*) AS records, min(at) AS "from", max(at) AS "to",
       ${author === undefined ? 'NULL' : `count(DISTINCT author)`} AS authors
       FROM (SELECT ${at} AS at, ${author === undefined ? 'NULL' : sqlName(author)} AS author FROM ${sqlName(name)}
         ${key === undefined ? '' : `WHERE ${ofSearch}`} LIMIT -1)`,
    )
    .get(...(key ?? []))
  const text = (ms: unknown): string | null =>
    typeof ms === 'number' ? `${new Date(ms).toISOString().slice(0, 19)}Z` : null
  return {
    records: Number(row?.['records']),
    ...{ from: text(row?.['from']), to: text(row?.['to']) },
    authors: row?.['authors'] === null ? null : Number(row?.['authors']),
  }
}

/** A time of SQLite as ISO 8601. */
function isoOf(time: unknown): string | null {
  return typeof time === 'string' ? `${time.replace(' ', 'T')}Z` : null
}

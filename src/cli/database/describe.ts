import type { DatabaseSync } from 'node:sqlite'
import type { ArchiveReach } from '../../extensions/tools/types.ts'
import type { WatchGap } from '../../extensions/watch/index.ts'
import { withRecords } from './open-database.ts'
import { type RecordTable, sqlName } from './tables.ts'

/** What a database has of one search. */
export interface DescribedSearch extends Omit<ArchiveReach, 'gaps' | 'searches'> {
  readonly search: string
  readonly network: string | null
  /** Null if the service does not document who wrote the records. */
  readonly authors: number | null
  readonly gaps: readonly WatchGap[]
  readonly credits: number
  /** Credits that may have been charged. */
  readonly uncertain: number
  /** How it was searched: `command`, `params`, `firstCheck` and `lastCheck`. */
  readonly checks: readonly object[]
}

/** What a database has, what is missing, and what it cost. */
export interface Description {
  readonly searches: readonly DescribedSearch[]
  readonly tables: Readonly<Record<string, number>>
  /** Credits under each `--cost-label`, those included that may have been charged. */
  readonly labels: Readonly<Record<string, number>>
}

/** Searches for the same, whether by a watch, a search or an agent, are one. */
const searches = `
  WITH spent AS MATERIALIZED (
    SELECT search, network, records, sum(credits) AS credits, sum(uncertain) AS uncertain FROM social_search_spent
    GROUP BY 1, 2, 3),
  gaps AS MATERIALIZED (
    SELECT search, network, records, json_group_array(json_object('from', "from", 'to', "to")) AS gaps FROM social_search_gaps
    GROUP BY 1, 2, 3)
  SELECT search, network, records, replace(max(last_look), ' ', 'T') || 'Z' AS lastCheck,
    json_group_array(json_object('command', command, 'params', json(params),
      'firstCheck', replace(first_look, ' ', 'T') || 'Z', 'lastCheck', replace(last_look, ' ', 'T') || 'Z')) AS checks,
    ifnull((SELECT gaps FROM gaps
      WHERE gaps.search = every.search AND gaps.network IS every.network AND gaps.records = every.records), '[]') AS gaps,
    ifnull((SELECT json_array(credits, uncertain) FROM spent
      WHERE spent.search = every.search AND spent.network IS every.network AND spent.records = every.records), '[0,0]') AS costs
  FROM social_search_searches AS every GROUP BY search, network, records ORDER BY min(number)`

const labels = `
  SELECT json_group_object(label, credits) AS labels FROM (
    SELECT label, sum(credits + uncertain) AS credits FROM social_search_purchases
    WHERE label IS NOT NULL GROUP BY label ORDER BY credits DESC, label)`

/** @throws {UsageError} for a file without records. */
export function describeDatabase(path: string): Promise<Description> {
  return withRecords(path, 'describe', (file, tables) => file.run(() => descriptionOf(file.database, tables)))
}

function descriptionOf(database: DatabaseSync, tables: readonly RecordTable[]): Description {
  const groups = database.prepare(searches).all()
  return {
    searches: groups.flatMap((group) => {
      const table = tables.find(({ name }) => name === group['records'])
      // What an agent paid for may be no list, such as a company.
      return table === undefined && group['records'] !== '' ? [] : [searchOf(database, table, group)]
    }),
    tables: Object.fromEntries(tables.map((table) => [table.name, timesOf(database, table).records])),
    labels: jsonIn(database.prepare(labels).get()?.['labels']) as Record<string, number>,
  }
}

export function reachOf(database: DatabaseSync, tables: readonly RecordTable[]): ArchiveReach {
  const names = JSON.stringify(tables.map(({ name }) => name))
  const row = database
    .prepare(
      `WITH mine AS (SELECT number, search, network, last_look FROM social_search_searches WHERE records IN (SELECT value FROM json_each(?1)))
       SELECT replace((SELECT max(last_look) FROM mine), ' ', 'T') || 'Z' AS lastCheck,
         (SELECT count(*) FROM social_search_gaps WHERE records IN (SELECT value FROM json_each(?1))) AS gaps,
         (SELECT json_group_array(search) FROM (SELECT search FROM mine WHERE network IS NOT NULL
           GROUP BY search ORDER BY max(last_look) DESC, max(number) DESC)) AS searches`,
    )
    .get(names)
  const times = tables.map((table) => timesOf(database, table))
  return {
    records: times.reduce((sum, { records }) => sum + records, 0),
    from: times.flatMap(({ from }) => from ?? []).sort()[0] ?? null,
    to:
      times
        .flatMap(({ to }) => to ?? [])
        .sort()
        .at(-1) ?? null,
    lastCheck: row?.['lastCheck'] as string | null,
    gaps: Number(row?.['gaps']),
    searches: jsonIn(row?.['searches']) as string[],
  }
}

type Row = Readonly<Record<string, unknown>>

function searchOf(database: DatabaseSync, table: RecordTable | undefined, row: Row): DescribedSearch {
  const { search, network, lastCheck } = row as unknown as DescribedSearch
  const none = { records: 0, authors: null, from: null, to: null }
  const [credits, uncertain] = jsonIn(row['costs']) as [number, number]
  return {
    ...{ search, network },
    ...(table === undefined ? none : timesOf(database, table, [search, network])),
    ...{ gaps: jsonIn(row['gaps']) as WatchGap[], credits, uncertain, lastCheck },
    checks: jsonIn(row['checks']) as object[],
  }
}

/** @param search Whose records count. Default: all records, and no authors. */
function timesOf(
  database: DatabaseSync,
  { name, time, authors: [author] }: RecordTable,
  search?: readonly [search: string, network: string | null],
) {
  const at = time === undefined ? 'NULL' : `time_of(${sqlName(time)})`
  const who = author === undefined ? 'NULL' : sqlName(author)
  const found = `WHERE number IN (SELECT results.number FROM social_search_results AS results
    JOIN social_search_searches AS mine ON mine.number = results.search
    WHERE mine.search = ?1 AND mine.network IS ?2 AND records = '${name}')`
  // Without the limit, SQLite would read each time twice.
  const row = database
    .prepare(
      `SELECT count(*) AS records, ${search === undefined || author === undefined ? 'NULL' : 'count(DISTINCT who)'} AS authors,
         strftime('%Y-%m-%dT%H:%M:%SZ', min(at) / 1000, 'unixepoch') AS "from",
         strftime('%Y-%m-%dT%H:%M:%SZ', max(at) / 1000, 'unixepoch') AS "to"
       FROM (SELECT ${at} AS at, ${who} AS who FROM ${sqlName(name)} ${search === undefined ? '' : found} LIMIT -1)`,
    )
    .get(...(search ?? []))
  const { records, authors, from, to } = row as unknown as Omit<DescribedSearch, 'search'>
  return { records, authors, from, to }
}

function jsonIn(text: unknown): unknown {
  return JSON.parse(String(text))
}

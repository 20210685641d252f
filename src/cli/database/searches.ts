import type { DatabaseSync } from 'node:sqlite'
import type { Operation } from '../../api/operation.ts'
import { operationOf } from '../../api/operations.ts'
import { canonicalJson, isRecord, parsed } from '../../lib/json.ts'
import { inTransaction } from '../../lib/sqlite-file.ts'
import { UsageError } from '../command-errors.ts'
import { commandOf, positionalOf } from '../command-names.ts'
import { sqliteTime } from './record-writer.ts'
import { tableOf } from './tables.ts'

/** The text of a search key: what distinguishes a search from the others of a file. */
function keyText(searchKey: object): string {
  return canonicalJson(searchKey) ?? ''
}

/** What is searched, and by what: `{ watch: 'microblog.search', params }`, `{ mcp: … }` or `{ operation: … }`. */
export function partsOf(searchKey: object): {
  kind: string
  operation: Operation | undefined
  params: object
} {
  const { params = {}, ...kinds } = searchKey as { params?: object }
  const [kind, id] = Object.entries<string>(kinds)[0] ?? ['', '']
  return { kind, operation: operationOf(id), params }
}

/** What was searched, as a reader of the file sees it. */
function searchOf(searchKey: object) {
  const { kind, operation, params } = partsOf(searchKey)
  const values = params as Readonly<Record<string, unknown>>
  const named = (operation && positionalOf(operation)) ?? ''
  const name = values[named] ?? Object.values(values).find((value) => typeof value === 'string')
  const command = kind === 'operation' && operation !== undefined ? commandOf(operation.id) : kind
  return {
    // The query, or the address of what was asked for.
    search: typeof name === 'string' ? name.toWellFormed() : command,
    // None for data of the organization.
    network: operation?.surface ?? null,
    ...{ command, params: canonicalJson(params) ?? '{}' },
    // The table of its records, if what it finds are some.
    records: operation?.list === undefined ? '' : tableOf(operation).name,
  }
}

/** Writes what was searched, how far that is, and what it cost. Call it within transactions, but for the cost of a call, which has its own. */
export class SearchWriter {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** The number of a search. A new one gets none that rows of a search have which a user has deleted. */
  numberOf(searchKey: object): number {
    const known = this.#database
      .prepare('SELECT number FROM social_search_searches WHERE job = ?')
      .get(keyText(searchKey))
    if (known !== undefined) return Number(known['number'])
    const { search, network, command, params, records } = searchOf(searchKey)
    const { lastInsertRowid } = this.#database
      .prepare(
        `INSERT INTO social_search_searches (number, search, network, command, params, records, job)
         SELECT 1 + ifnull(max(number), 0), ?, ?, ?, ?, ?, ? FROM (
           SELECT max(number) AS number FROM social_search_searches UNION ALL SELECT max(search) FROM social_search_results
           UNION ALL SELECT max(search) FROM social_search_purchases)`,
      )
      .run(search, network, command, params, records, keyText(searchKey))
    return Number(lastInsertRowid)
  }

  checked(search: number, at: string): void {
    this.#database
      .prepare(
        'UPDATE social_search_searches SET first_look = ifnull(first_look, ?1), last_look = ?1 WHERE number = ?2',
      )
      .run(at, search)
  }

  /** @param isNew Whether the row is new. If not, another query has found it: `export --new` has it again, with both. */
  addResult(search: number, row: number, isNew: boolean): void {
    const { changes } = this.#database
      .prepare(
        `INSERT INTO social_search_results (search, number, first_seen) VALUES (?, ?, datetime('now')) ON CONFLICT DO NOTHING`,
      )
      .run(search, row)
    if (changes === 0 || isNew) return
    this.#database
      .prepare(
        `INSERT OR REPLACE INTO social_search_added (records, row) SELECT mine.records, ?1 FROM social_search_searches AS mine
         WHERE number = ?2 AND network IS NOT NULL AND NOT EXISTS (SELECT 1 FROM social_search_searches AS other
           JOIN social_search_results AS results ON results.search = other.number AND results.number = ?1
           WHERE other.number <> ?2 AND other.records = mine.records AND other.search = mine.search)`,
      )
      .run(row, search)
  }

  setProgress(search: number, progress: object): void {
    this.#database
      .prepare('UPDATE social_search_searches SET state = ? WHERE number = ?')
      .run(JSON.stringify(progress), search)
  }

  /** Makes what writes the row of a call: what it has cost so far, or may have. A free call has none. */
  purchase(searchKey: object, label: string | undefined): (credits: number, uncertain: number) => void {
    const database = this.#database
    let row:
      { readonly search: number; readonly at: string; readonly number: number | bigint | null } | undefined
    const replace = (credits: number, uncertain: number): NonNullable<typeof row> => {
      // A search shows its costs also before it has a page.
      const { search, at, number } = row ?? {
        ...{ search: this.numberOf(searchKey), at: sqliteTime(new Date()), number: null },
      }
      // If a user has deleted the row, another call may have its number by now.
      database
        .prepare('DELETE FROM social_search_purchases WHERE number = ? AND search = ? AND at = ?')
        .run(number, search, at)
      if (credits === 0 && uncertain === 0) return { search, at, number: null }
      const { lastInsertRowid } = database
        .prepare(
          'INSERT INTO social_search_purchases (search, at, label, credits, uncertain) VALUES (?, ?, ?, ?, ?)',
        )
        .run(search, at, label ?? null, credits, uncertain)
      return { search, at, number: lastInsertRowid }
    }
    return (...costs) => (row = inTransaction(database, () => replace(...costs)))
  }
}

export const unreadableState =
  'the state of a job cannot be read in social_search_searches; pass another --out'

/**
 * What earlier runs have stored of a search, and what all its calls have cost, or may have.
 *
 * @throws {UsageError} if it cannot be read: without it, pages would be paid again.
 */
export function progressOf(
  database: DatabaseSync,
  searchKey: object,
): { readonly progress: object | undefined; readonly paid: number } {
  const { state = null, paid } =
    database
      .prepare(
        `SELECT state, (SELECT sum(credits + uncertain) FROM social_search_purchases WHERE search = searches.number) AS paid
         FROM social_search_searches AS searches WHERE job = ?`,
      )
      .get(keyText(searchKey)) ?? {}
  const progress = state === null ? undefined : parsed(String(state))
  if (state === null || isRecord(progress))
    return { progress: progress as object | undefined, paid: Number(paid ?? 0) }
  throw new UsageError(unreadableState)
}

import type { DatabaseSync } from 'node:sqlite'
import type { Operation } from '../../api/operation.ts'
import { operationOf } from '../../api/operations.ts'
import { canonicalJson } from '../../lib/json.ts'
import { commandOf, positionalOf } from '../command-names.ts'
import { tableOf } from './tables.ts'

/** What was searched, as a reader of the file sees it. */
interface Search {
  /** The query, or the address of what was asked for. */
  readonly search: string
  /** Null for data of the organization. */
  readonly network: string | null
  /** `watch`, `mcp`, `search`, `comments`. */
  readonly command: string
  readonly params: string
  /** The table of its records; empty if what it finds are none. */
  readonly records: string
}

/** What a call has cost so far. */
interface CallCost {
  readonly credits: number
  readonly uncertain: number
  /** What it is counted under. */
  readonly label: string | undefined
}

/** A call with a cost: its search, when it was first sent, and its row. */
export interface Purchase {
  readonly search: number
  readonly at: string
  readonly number: number | bigint | null
}

export function jobKey(job: object): string {
  return canonicalJson(job) ?? ''
}

/** What a job does: `{ watch: 'microblog.search', params }`, `{ mcp: … }` or `{ operation: … }`. */
export function partsOf(job: object): { kind: string; operation: Operation | undefined; params: object } {
  const { params = {}, ...kinds } = job as { params?: object }
  const [kind, id] = Object.entries<string>(kinds)[0] ?? ['', '']
  return { kind, operation: operationOf(id), params }
}

function searchOf(job: object): Search {
  const { kind, operation, params } = partsOf(job)
  const values = params as Readonly<Record<string, unknown>>
  const named = (operation && positionalOf(operation)) ?? ''
  const name = values[named] ?? Object.values(values).find((value) => typeof value === 'string')
  const command = kind === 'operation' && operation !== undefined ? commandOf(operation.id) : kind
  return {
    search: typeof name === 'string' ? name.toWellFormed() : command,
    network: operation?.surface ?? null,
    ...{ command, params: canonicalJson(params) ?? '{}' },
    records: operation?.list === undefined ? '' : tableOf(operation).name,
  }
}

/** Writes what was searched, how far that is, and what it cost. Call it within transactions. */
export class SearchWriter {
  readonly #database: DatabaseSync

  constructor(database: DatabaseSync) {
    this.#database = database
  }

  /** The number of a job's search. A new one gets none that rows of a search have which a user has deleted. */
  numberOf(job: object): number {
    const known = this.#database
      .prepare('SELECT number FROM social_search_searches WHERE job = ?')
      .get(jobKey(job))
    if (known !== undefined) return Number(known['number'])
    const { search, network, command, params, records } = searchOf(job)
    const { lastInsertRowid } = this.#database
      .prepare(
        `INSERT INTO social_search_searches (number, search, network, command, params, records, job)
         SELECT 1 + ifnull(max(number), 0), ?, ?, ?, ?, ?, ? FROM (
           SELECT max(number) AS number FROM social_search_searches UNION ALL SELECT max(search) FROM social_search_results
           UNION ALL SELECT max(search) FROM social_search_purchases)`,
      )
      .run(search, network, command, params, records, jobKey(job))
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

  /** How far its job is. */
  setState(search: number, state: object): void {
    this.#database
      .prepare('UPDATE social_search_searches SET state = ? WHERE number = ?')
      .run(JSON.stringify(state), search)
  }

  /**
   * Replaces the row of a call. A free call has no row.
   *
   * @param known What it had before. If a user has deleted its row, another call may have the number by now.
   */
  pay({ credits, uncertain, label }: CallCost, { number, search, at }: Purchase): Purchase {
    this.#database
      .prepare('DELETE FROM social_search_purchases WHERE number = ? AND search = ? AND at = ?')
      .run(number, search, at)
    if (credits === 0 && uncertain === 0) return { search, at, number: null }
    const { lastInsertRowid } = this.#database
      .prepare(
        'INSERT INTO social_search_purchases (search, at, label, credits, uncertain) VALUES (?, ?, ?, ?, ?)',
      )
      .run(search, at, label ?? null, credits, uncertain)
    return { search, at, number: lastInsertRowid }
  }
}

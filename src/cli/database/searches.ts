import type { DatabaseSync, StatementSync } from 'node:sqlite'
import type { Operation } from '../../api/operation.ts'
import { operationOf } from '../../api/operations.ts'
import { canonicalJson } from '../../lib/json.ts'
import { commandOf, positionalOf } from '../flags.ts'
import { sqliteTime } from './record-writer.ts'
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

/** A time whose posts are missing. */
export interface Gap {
  readonly from: string | null
  readonly to: string | null
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

/** Writes what was searched, what is missing of it, and what it cost. Call it within transactions. */
export class SearchWriter {
  readonly #add: StatementSync
  readonly #find: StatementSync
  readonly #checked: StatementSync
  readonly #result: StatementSync
  readonly #addAgain: StatementSync
  readonly #filled: StatementSync
  readonly #missing: StatementSync
  readonly #buy: StatementSync
  readonly #settle: StatementSync
  readonly #dropFree: StatementSync

  constructor(database: DatabaseSync) {
    this.#add = database.prepare(
      `INSERT INTO social_search_searches (search, network, command, params, records, job)
       VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    )
    this.#find = database.prepare('SELECT number FROM social_search_searches WHERE job = ?')
    this.#checked = database.prepare(
      'UPDATE social_search_searches SET first_look = ifnull(first_look, ?1), last_look = ?1 WHERE number = ?2',
    )
    this.#result = database.prepare(
      "INSERT INTO social_search_results (search, number, first_seen) VALUES (?, ?, datetime('now')) ON CONFLICT DO NOTHING",
    )
    this.#addAgain = database.prepare(
      `INSERT OR REPLACE INTO social_search_added (records, row) SELECT mine.records, ?1 FROM social_search_searches AS mine
       WHERE number = ?2 AND network IS NOT NULL AND NOT EXISTS (SELECT 1 FROM social_search_searches AS other
         JOIN social_search_results AS results ON results.search = other.number AND results.number = ?1
         WHERE other.number <> ?2 AND other.records = mine.records AND other.search = mine.search)`,
    )
    this.#filled = database.prepare('DELETE FROM social_search_missing WHERE search = ?')
    this.#missing = database.prepare('INSERT INTO social_search_missing VALUES (?, ?, ?)')
    this.#buy = database.prepare(
      'INSERT INTO social_search_purchases (search, at, label, credits, uncertain) VALUES (?, ?, ?, 0, 0)',
    )
    this.#settle = database.prepare(
      'UPDATE social_search_purchases SET credits = ?, uncertain = ? WHERE number = ?',
    )
    this.#dropFree = database.prepare('DELETE FROM social_search_purchases WHERE number = ?')
  }

  /** The number of a job's search. */
  numberOf(job: object): number {
    const text = jobKey(job)
    const { search, network, command, params, records } = searchOf(job)
    this.#add.run(search, network, command, params, records, text)
    return Number(this.#find.get(text)?.['number'])
  }

  checked(number: number, at: string): void {
    this.#checked.run(at, number)
  }

  /** @param isNew Whether the row is new. If not, another query has found it: `export --new` has it again, with both. */
  addResult(search: number, row: number, isNew: boolean): void {
    const { changes } = this.#result.run(search, row)
    if (changes === 1 && !isNew) this.#addAgain.run(row, search)
  }

  setGaps(number: number, gaps: readonly Gap[]): void {
    this.#filled.run(number)
    for (const { from, to } of gaps) this.#missing.run(number, from, to)
  }

  /**
   * Writes the row of a call, with the time at which it was first sent; a free one has none.
   *
   * @param known The number of its row, if it has one.
   */
  pay(
    search: number,
    { credits, uncertain, label }: CallCost,
    known: number | undefined,
  ): number | undefined {
    const number =
      known ?? Number(this.#buy.run(search, sqliteTime(new Date()), label ?? null).lastInsertRowid)
    const isFree = credits === 0 && uncertain === 0
    if (isFree) this.#dropFree.run(number)
    else this.#settle.run(credits, uncertain, number)
    return isFree ? undefined : number
  }
}

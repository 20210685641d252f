import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { operationOf } from '../../api/operations.ts'
import { canonicalJson } from '../../lib/json.ts'
import { commandOf, positionalOf } from '../flags.ts'
import { sqliteTime } from './record-writer.ts'
import type { RecordTable } from './tables.ts'

/** What was searched, as a reader of the file sees it. */
interface Search {
  /** The query, or the address of what was asked for. */
  readonly search: string
  /** Null for data of the organization. */
  readonly network: string | null
  /** `watch`, `mcp`, `search`, `comments`. */
  readonly command: string
  readonly params: string
  /** Whether what it finds are records, which have a table. */
  readonly hasRecords: boolean
}

/** What a run has spent, or has open. */
export interface Credits {
  readonly spent: number
  readonly uncertain: number
  readonly reserved: number
}

/** A request that is under way, as the file has it. */
interface Purchase {
  readonly search: number
  readonly number: number
}

/** A time whose posts are missing. */
export interface Gap {
  readonly from: string | null
  readonly to: string | null
}

export function jobKey(job: object): string {
  return canonicalJson(job) ?? ''
}

/** What a job searches: `{ watch: 'microblog.search', params }`, `{ mcp: … }` or `{ operation: … }`. */
function searchOf(job: object): Search {
  const { params = {}, ...kinds } = job as { params?: object }
  const [kind, id] = Object.entries<string>(kinds)[0] ?? ['', '']
  const found = operationOf(id)
  const values = params as Readonly<Record<string, unknown>>
  const named = (found && positionalOf(found)) ?? ''
  const name = values[named] ?? Object.values(values).find((value) => typeof value === 'string')
  const command = kind === 'operation' ? commandOf(id) : kind
  return {
    search: typeof name === 'string' ? name.toWellFormed() : command,
    network: found?.surface ?? null,
    ...{ command, params: canonicalJson(params) ?? '{}', hasRecords: found?.list !== undefined },
  }
}

/** Writes what was searched, what is missing of it, and what it cost. Call it within transactions. */
export class SearchWriter {
  readonly #table: RecordTable
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
  /** What the file has of this run's costs, and its row of a request that is under way. */
  #noted: { readonly spent: number; readonly open: number; readonly purchase?: Purchase | undefined } = {
    ...{ spent: 0, open: 0 },
  }
  #pending = this.#noted

  constructor(database: DatabaseSync, table: RecordTable) {
    this.#table = table
    this.#add = database.prepare(
      `INSERT INTO social_search_searches (search, network, command, params, records, job)
       VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
    )
    this.#find = database.prepare('SELECT number FROM social_search_searches WHERE job = ?')
    this.#checked = database.prepare(
      'UPDATE social_search_searches SET first_look = ifnull(first_look, ?1), last_look = ?1 WHERE number = ?2',
    )
    this.#result = database.prepare('INSERT INTO social_search_results VALUES (?, ?) ON CONFLICT DO NOTHING')
    this.#addAgain = database.prepare(
      `INSERT OR REPLACE INTO social_search_added (records, row) SELECT ?1, ?2 FROM social_search_searches AS mine
       WHERE number = ?3 AND network IS NOT NULL AND NOT EXISTS (SELECT 1 FROM social_search_searches AS other
         JOIN social_search_results AS results ON results.search = other.number AND results.number = ?2
         WHERE other.number <> ?3 AND other.records = ?1 AND other.search = mine.search)`,
    )
    this.#filled = database.prepare('DELETE FROM social_search_missing WHERE search = ?')
    this.#missing = database.prepare('INSERT INTO social_search_missing VALUES (?, ?, ?)')
    this.#buy = database.prepare(
      'INSERT INTO social_search_purchases (search, at, label, credits, uncertain) VALUES (?, ?, ?, ?, ?)',
    )
    this.#settle = database.prepare(
      'UPDATE social_search_purchases SET credits = credits + ?, uncertain = uncertain + ? WHERE number = ?',
    )
    this.#dropFree = database.prepare(
      'DELETE FROM social_search_purchases WHERE number = ? AND credits = 0 AND uncertain = 0',
    )
  }

  /** The number of a job's search. */
  numberOf(job: object): number {
    const text = jobKey(job)
    const { search, network, command, params, hasRecords } = searchOf(job)
    this.#add.run(search, network, command, params, hasRecords ? this.#table.name : '', text)
    return Number(this.#find.get(text)?.['number'])
  }

  checked(number: number, at: string): void {
    this.#checked.run(at, number)
  }

  /** @param isNew Whether the row is new. If not, another query has found it: `export --new` has it again, with both. */
  addResult(search: number, row: number, isNew: boolean): void {
    const { changes } = this.#result.run(search, row)
    if (changes === 1 && !isNew) this.#addAgain.run(this.#table.name, row, search)
  }

  setGaps(number: number, gaps: readonly Gap[]): void {
    this.#filled.run(number)
    for (const { from, to } of gaps) this.#missing.run(number, from, to)
  }

  /**
   * Notes what the run has spent since the last time: a row for each request, with the time at which it was sent. Credits of a
   * request that is under way may have been spent: a process that is killed cannot tell.
   *
   * @param label What the costs are counted under.
   */
  spend(search: number, { spent, uncertain, reserved }: Credits, label: string | undefined): void {
    const open = uncertain + reserved
    const [more, moreOpen] = [spent - this.#noted.spent, open - this.#noted.open]
    let purchase = this.#noted.purchase?.search === search ? this.#noted.purchase : undefined
    if (purchase !== undefined) this.#settle.run(more, moreOpen, purchase.number)
    else if (more !== 0 || moreOpen !== 0) {
      const row = this.#buy.run(search, sqliteTime(new Date()), label ?? null, more, moreOpen)
      purchase = { search, number: Number(row.lastInsertRowid) }
    }
    if (reserved === 0 && purchase !== undefined) this.#dropFree.run(purchase.number)
    this.#pending = { spent, open, purchase: reserved > 0 ? purchase : undefined }
  }

  /** Call it when the transaction is over: what was not stored is added again. */
  settle(isStored: boolean): void {
    if (isStored) this.#noted = this.#pending
    else this.#pending = this.#noted
  }
}

import type { DatabaseSync } from 'node:sqlite'
import { isRecord } from '../../lib/json.ts'
import { sqliteCode, sqliteCodes } from '../../lib/sqlite-file.ts'
import { messageOf } from '../../lib/thrown.ts'
import { UsageError } from '../command-errors.ts'
import { allTables, columnNamesOf, sqlName } from './tables.ts'

/** How many rows are written at once. */
const partSize = 1000

/** Columns that are not fields of a record, nor tell where it comes from. */
const ownColumns = ['number', 'key', 'counted_at', 'record', 'rowid']

/** What runs write beside records, as far as it is for people. */
const ofRuns = ['gaps', 'purchases', 'results', 'searches', 'spent'].map((name) => `social_search_${name}`)

/**
 * The tables and views of a file that are for people: records first, in the order of their operations.
 *
 * @param isNew Only the rows that `--new` has yet to export, in the order in which they were added.
 */
export function sourcesIn(database: DatabaseSync, isNew: boolean): Source[] {
  const tables = allTables().map(({ name }) => name)
  const beside = [...ofRuns, ...tables.map((name) => `${name}_counts`)]
  const kindOf = (name: string, type: unknown): Source['kind'] => {
    if (beside.includes(name)) return 'runs'
    return type === 'table' && tables.includes(name) ? 'records' : 'own'
  }
  const rankOf = ({ name, kind }: Source): number =>
    kind === 'records' ? tables.indexOf(name) : tables.length
  return database
    .prepare(
      `SELECT name, type FROM pragma_table_list WHERE schema = 'main' AND type IN ('table', 'view')
       AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY type, name`,
    )
    .all()
    .map(({ name, type }) => new Source(database, String(name), kindOf(String(name), type), isNew))
    .filter(({ name, kind }) => kind === 'runs' || !name.startsWith('social_search_'))
    .sort((one, other) => rankOf(one) - rankOf(other))
}

/** What can be exported. Its rows are as they are at one moment: a job can write while they are read. */
export class Source {
  readonly name: string
  /** A table of records, what runs write beside them, or any other table or view. */
  readonly kind: 'records' | 'runs' | 'own'
  rows = 0
  /** The number of the last row that was read. */
  #last = 0
  readonly #database: DatabaseSync
  readonly #isNew: boolean
  #origin: string | undefined

  constructor(database: DatabaseSync, name: string, kind: Source['kind'], isNew: boolean) {
    this.name = name
    this.kind = kind
    this.#database = database
    this.#isNew = isNew
  }

  /**
   * Whether there are rows to read. It takes no value of them, since an integer may be too large for a number.
   *
   * @throws {UsageError} for a view of the user whose columns are gone.
   */
  get hasRows(): boolean {
    try {
      return this.#database.prepare(`SELECT 1 FROM (${this.#select}) LIMIT 1`).get() !== undefined
    } catch (error) {
      if (sqliteCode(error) !== sqliteCodes.badSql) throw error
      const cure = 'drop it, make it again, or pass --table with another one'
      throw new UsageError(`${this.name} cannot be read: ${messageOf(error)}; ${cure}`)
    }
  }

  /** The paths of its columns; those of records whose fields are not documented are the ones that they have. */
  get fields(): readonly string[] {
    const all = columnNamesOf(this.#database, this.name)
    // A view may have all that a table of records has.
    const hasOwn = this.kind === 'records' || ['counted_at', 'record'].every((name) => all.includes(name))
    const columns = hasOwn ? all.filter((each) => !ownColumns.includes(each)) : all
    const found = columns.length > 0 || this.kind !== 'records' ? columns : this.#pathsOfRecords()
    return this.#queries === '' ? found : [...new Set(['query', ...found])]
  }

  *parts(): Generator<unknown[]> {
    const isOfRecords = this.kind === 'records'
    const read = this.#database.prepare(this.#select)
    read.setReadBigInts(!isOfRecords)
    let part: unknown[] = []
    for (const row of read.iterate()) {
      part.push(isOfRecords ? this.#recordOf(row) : ownRow(row))
      this.rows++
      if (part.length < partSize) continue
      yield part
      part = []
    }
    if (part.length > 0) yield part
  }

  /** `--new` exports these rows no more. */
  noteExported(): void {
    this.#database
      .prepare('DELETE FROM social_search_added WHERE records = ? AND number <= ?')
      .run(this.name, this.#last)
  }

  /** Its rows, as SQL. */
  get #select(): string {
    const { name } = this
    const table = sqlName(name)
    if (this.kind !== 'records') return `SELECT * FROM main.${table}`
    const values = `${this.#queries}record FROM`
    if (!this.#isNew) return `SELECT ${table}.rowid AS "row number", ${values} ${table} ORDER BY 1`
    return `SELECT added.number AS "row number", ${values} social_search_added AS added
      JOIN ${table} ON ${table}.number = added.row AND +added.records = '${name}' ORDER BY 1`
  }

  /** The column that tells which queries have found a record, as SQL; empty if none has. */
  get #queries(): string {
    return (this.#origin ??= this.kind === 'records' ? queriesOf(this.#database, this.name) : '')
  }

  #recordOf({ 'row number': number, record, query }: Readonly<Record<string, unknown>>): unknown {
    this.#last = Number(number)
    const value = JSON.parse(String(record)) as object
    if (this.#queries === '') return value
    // It comes first, and is not what a field of the record says.
    const found = { query: JSON.parse(String(query)) as unknown }
    return { ...found, ...value, ...found }
  }

  #pathsOfRecords(): string[] {
    const paths = new Set<string>()
    for (const { record } of this.#database.prepare(`SELECT record FROM ${sqlName(this.name)}`).iterate())
      addPaths(paths, JSON.parse(String(record)), '')
    return [...paths]
  }
}

function queriesOf(database: DatabaseSync, name: string): string {
  const searches = `social_search_searches AS searches WHERE records = '${name}' AND network IS NOT NULL`
  if (database.prepare(`SELECT 1 FROM ${searches}`).get() === undefined) return ''
  return `(SELECT json_group_array(DISTINCT search ORDER BY number) FROM ${searches} AND EXISTS (
    SELECT 1 FROM social_search_results AS results
    WHERE results.search = searches.number AND results.number = ${sqlName(name)}.rowid)) AS query, `
}

/** A row of the user's own as a record. Its names are those of the columns, with or without dots. */
function ownRow(row: Readonly<Record<string, unknown>>): unknown {
  return Object.fromEntries(Object.entries(row).map(([column, value]) => [column, plainValue(value)]))
}

/** A value as JSON can have it: no integer is rounded, and bytes are hex digits, as SQL reads them with `unhex()`. */
function plainValue(value: unknown): unknown {
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex')
  if (typeof value !== 'bigint') return value
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : String(value)
}

/** Adds the paths of what a record has. An object with names that no path can have is one cell. */
function addPaths(paths: Set<string>, value: unknown, path: string): void {
  const names = isRecord(value) ? Object.keys(value) : []
  const isCell =
    path !== '' && (names.length === 0 || names.some((name) => name === '' || name.includes('.')))
  if (isCell) paths.add(path)
  else
    for (const name of names)
      addPaths(paths, (value as Record<string, unknown>)[name], `${path && `${path}.`}${name}`)
}

import type { DatabaseSync } from 'node:sqlite'
import { type RecordTable, sqlName } from './tables.ts'

/** Affinities that keep whole numbers whole, and that DuckDB can read. */
const columnTypes = { text: 'TEXT', number: 'NUMERIC', boolean: 'INTEGER' } as const

/**
 * The tables that all kinds of records share. `social_search_jobs` has the states of runs, and `social_search_added` the order in
 * which rows came: both are private. The others are for whoever reads the file.
 * A change of them needs a step in `upgrades.ts`.
 */
const sharedTables = `
  CREATE TABLE IF NOT EXISTS social_search_jobs (job TEXT PRIMARY KEY, state TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS social_search_searches (
    number INTEGER PRIMARY KEY, search TEXT NOT NULL, network TEXT, command TEXT NOT NULL, params TEXT NOT NULL,
    records TEXT NOT NULL, first_look TEXT, last_look TEXT, job TEXT NOT NULL UNIQUE);
  CREATE TABLE IF NOT EXISTS social_search_results (
    search INTEGER, number INTEGER, first_seen TEXT, PRIMARY KEY (search, number)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS social_search_missing (search INTEGER NOT NULL, "from" TEXT, "to" TEXT);
  CREATE VIEW IF NOT EXISTS social_search_gaps AS
    SELECT searches.search, network, "from", "to" FROM social_search_missing AS missing
    JOIN social_search_searches AS searches ON searches.number = missing.search;
  CREATE TABLE IF NOT EXISTS social_search_purchases (
    number INTEGER PRIMARY KEY, search INTEGER NOT NULL, at TEXT NOT NULL, label TEXT,
    credits NUMERIC NOT NULL, uncertain NUMERIC NOT NULL);
  CREATE VIEW IF NOT EXISTS social_search_spent AS
    SELECT searches.search, network, records, date(at) AS day, sum(credits) AS credits, sum(uncertain) AS uncertain
    FROM social_search_purchases AS purchases
    JOIN social_search_searches AS searches ON searches.number = purchases.search
    GROUP BY searches.search, network, records, date(at);
  CREATE TABLE IF NOT EXISTS social_search_added (
    number INTEGER PRIMARY KEY AUTOINCREMENT, records TEXT NOT NULL, row INTEGER NOT NULL, UNIQUE (records, row));
  CREATE TABLE IF NOT EXISTS social_search_deleted (records TEXT, key TEXT, PRIMARY KEY (records, key));
  CREATE TABLE IF NOT EXISTS social_search_forgotten (hash BLOB PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS social_search_salt (salt BLOB NOT NULL)`

/**
 * Makes the table of a kind of records, and what follows each change of it, also of others. A row gets a number in the order in which
 * rows came; once the last one is deleted, another may get its number. What is deleted leaves nothing behind, and a later run does not
 * add it again.
 */
export function createTables(database: DatabaseSync, table: RecordTable): void {
  database.exec(sharedTables)
  const { name, key, columns, counts } = table
  const own = sqlName(name)
  const old = `old.${sqlName(key)}`
  const fields = columns.filter(({ path }) => path !== key).map(({ path, type }) => columnText(path, type))
  const history = counts.length === 0 ? '' : historyText(table)
  const forgetHistory = history && `DELETE FROM ${sqlName(`${name}_counts`)} WHERE ${sqlName(key)} = ${old};`
  // VACUUM keeps a number that is a column.
  database.exec(`
    CREATE TABLE IF NOT EXISTS ${own} (number INTEGER PRIMARY KEY,
      ${[`${sqlName(key)} TEXT NOT NULL UNIQUE`, ...fields, '"counted_at" TEXT', '"record" TEXT NOT NULL'].join(', ')});
    ${history}
    CREATE TRIGGER IF NOT EXISTS ${sqlName(`${name}_numbered`)} AFTER INSERT ON ${own} BEGIN
      INSERT OR REPLACE INTO social_search_added (records, row) VALUES ('${name}', new.number); END;
    CREATE TRIGGER IF NOT EXISTS ${sqlName(`${name}_deleted`)} AFTER DELETE ON ${own} BEGIN ${forgetHistory}
      DELETE FROM social_search_added WHERE records = '${name}' AND row = old.number;
      DELETE FROM social_search_results WHERE number = old.number
        AND search IN (SELECT number FROM social_search_searches WHERE records = '${name}');
      INSERT OR IGNORE INTO social_search_deleted VALUES ('${name}', ${old}); END;`)
}

function columnText(path: string, type: keyof typeof columnTypes): string {
  return `${sqlName(path)} ${columnTypes[type]}`
}

/** The history of counts: a row when a number changes. The first one has the first text if it was edited. */
function historyText({ name, key, counts, text }: RecordTable): string {
  const [own, history, keyName] = [name, `${name}_counts`, key].map(sqlName) as [string, string, string]
  const texts = text === undefined ? [] : [text]
  const columns = [
    ...counts.map((path) => columnText(path, 'number')),
    ...texts.map((path) => columnText(path, 'text')),
  ]
  const counted = [key, 'counted_at', ...counts].map(sqlName)
  const add = `INSERT INTO ${history} (${counted.join(', ')}) VALUES (${counted.map((path) => `new.${path}`).join(', ')});`
  const hasOther = counts.map((path) => `old.${sqlName(path)} IS NOT new.${sqlName(path)}`).join(' OR ')
  const edits = texts.map(sqlName).map(
    (column) => `CREATE TRIGGER IF NOT EXISTS ${sqlName(`${name}_edited`)} AFTER UPDATE ON ${own}
      WHEN old.${column} IS NOT new.${column} BEGIN
      UPDATE ${history} SET ${column} = old.${column} WHERE ${column} IS NULL
        AND rowid = (SELECT min(rowid) FROM ${history} WHERE ${keyName} = old.${keyName}); END;`,
  )
  return `
    CREATE TABLE IF NOT EXISTS ${history} (${keyName} TEXT NOT NULL, "counted_at" TEXT, ${columns.join(', ')});
    CREATE INDEX IF NOT EXISTS ${sqlName(`${name}_counts_of`)} ON ${history} (${keyName});
    CREATE TRIGGER IF NOT EXISTS ${sqlName(`${name}_counted`)} AFTER INSERT ON ${own} BEGIN ${add} END;
    CREATE TRIGGER IF NOT EXISTS ${sqlName(`${name}_recounted`)} AFTER UPDATE ON ${own} WHEN ${hasOther} BEGIN ${add} END;
    ${edits.join('')}`
}

/** A view of what watches have found, with their queries. It exists once there is some. */
export function createFoundView(database: DatabaseSync, { name }: RecordTable): void {
  database.exec(`CREATE VIEW IF NOT EXISTS ${sqlName(`${name}_found`)} AS
    SELECT searches.search AS query, first_seen, records.* FROM social_search_results AS results
    JOIN social_search_searches AS searches
      ON searches.number = results.search AND command = 'watch' AND searches.records = '${name}'
    JOIN ${sqlName(name)} AS records ON records.number = results.number`)
}

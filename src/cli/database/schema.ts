import type { DatabaseSync } from 'node:sqlite'
import { type RecordTable, sqlName } from './tables.ts'

/** Affinities that keep whole numbers whole, and that DuckDB can read. */
const columnTypes = { text: 'TEXT', number: 'NUMERIC', boolean: 'INTEGER' } as const

/**
 * The tables that all kinds of records share. `social_search_jobs` has the states of runs, and `social_search_added` the order in
 * which rows came: both are private. The others are for whoever reads the file.
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

/** Makes what all kinds of records share and is missing. */
export function createSharedTables(database: DatabaseSync): void {
  database.exec(sharedTables)
}

/** Makes the tables that are missing. */
export function createTables(database: DatabaseSync, table: RecordTable): void {
  createSharedTables(database)
  const { name, columns, key } = table
  const columnsText = columns
    .filter(({ path }) => path !== key)
    .map(({ path, type }) => columnText(path, type))
  const all = [
    `${sqlName(key)} TEXT NOT NULL UNIQUE`,
    ...columnsText,
    '"counted_at" TEXT',
    '"record" TEXT NOT NULL',
  ]
  // A number of its own, which VACUUM keeps, for the full text.
  database.exec(`CREATE TABLE IF NOT EXISTS ${sqlName(name)} (number INTEGER PRIMARY KEY, ${all.join(', ')});
    ${countsText(table)} ${triggersText(table)}`)
  createIndex(database, table)
}

function columnText(path: string, type: keyof typeof columnTypes): string {
  return `${sqlName(path)} ${columnTypes[type]}`
}

/** The history of counts: a row when a number changes. The first one has the first text if it was edited. */
function countsText({ name, key, counts, text }: RecordTable): string {
  if (counts.length === 0) return ''
  const columns = [
    `${sqlName(key)} TEXT NOT NULL`,
    '"counted_at" TEXT',
    ...counts.map((path) => columnText(path, 'number')),
    ...(text === undefined ? [] : [columnText(text, 'text')]),
  ]
  return `CREATE TABLE IF NOT EXISTS ${sqlName(`${name}_counts`)} (${columns.join(', ')});
    CREATE INDEX IF NOT EXISTS ${sqlName(`${name}_counts_of`)} ON ${sqlName(`${name}_counts`)} (${sqlName(key)});`
}

/**
 * An index of the words, which follows each change, also of others. Marks are parts of words, such as the vowel signs of Hindi;
 * those that choose between forms of an emoji are not.
 */
function createIndex(database: DatabaseSync, { name, text, searched }: RecordTable): void {
  if (text === undefined) return
  const columns = [text, ...searched]
  const index = sqlName(`${name}_fts`)
  const isThere = database.prepare('SELECT 1 FROM sqlite_master WHERE name = ?').get(`${name}_fts`)
  if (isThere !== undefined) return
  const names = columns.map(sqlName).join(', ')
  const of = (row: string): string => columns.map((path) => `${row}.${sqlName(path)}`).join(', ')
  const remove = `INSERT INTO ${index} (${index}, rowid, ${names}) VALUES ('delete', old.number, ${of('old')});`
  const add = `INSERT INTO ${index} (rowid, ${names}) VALUES (new.number, ${of('new')});`
  const isChanged = columns.map((path) => `old.${sqlName(path)} IS NOT new.${sqlName(path)}`).join(' OR ')
  const tokenizer = "unicode61 remove_diacritics 2 categories 'L* N* Co Mn Mc' separators '\ufe0e\ufe0f'"
  database.exec(`CREATE VIRTUAL TABLE ${index} USING fts5(${names},
      content=${sqlName(name)}, content_rowid="number", tokenize="${tokenizer}");
    INSERT INTO ${index} (${index}, rank) VALUES ('secure-delete', 1);
    CREATE TRIGGER ${sqlName(`${name}_added`)} AFTER INSERT ON ${sqlName(name)} BEGIN ${add} END;
    CREATE TRIGGER ${sqlName(`${name}_changed`)} AFTER UPDATE ON ${sqlName(name)}
      WHEN ${isChanged} BEGIN ${remove} ${add} END;
    CREATE TRIGGER ${sqlName(`${name}_unindexed`)} AFTER DELETE ON ${sqlName(name)} BEGIN ${remove} END;`)
}

/**
 * A row gets a number in the order in which rows came, which no other row ever has. What is deleted, also with SQL, leaves nothing
 * behind, and a later run does not add it again.
 */
function triggersText({ name, key, counts }: RecordTable): string {
  const old = `old.${sqlName(key)}`
  const history =
    counts.length === 0 ? '' : `DELETE FROM ${sqlName(`${name}_counts`)} WHERE ${sqlName(key)} = ${old};`
  return `CREATE TRIGGER IF NOT EXISTS ${sqlName(`${name}_numbered`)} AFTER INSERT ON ${sqlName(name)} BEGIN
      INSERT OR REPLACE INTO social_search_added (records, row) VALUES ('${name}', new.number); END;
    CREATE TRIGGER IF NOT EXISTS ${sqlName(`${name}_deleted`)} AFTER DELETE ON ${sqlName(name)} BEGIN ${history}
      DELETE FROM social_search_added WHERE records = '${name}' AND row = old.number;
      DELETE FROM social_search_results WHERE number = old.number
        AND search IN (SELECT number FROM social_search_searches WHERE records = '${name}');
      INSERT OR IGNORE INTO social_search_deleted VALUES ('${name}', ${old}); END;`
}

/** A view of what watches have found, with their queries. It exists once there is some. */
export function createFoundView(database: DatabaseSync, { name }: RecordTable): void {
  database.exec(`CREATE VIEW IF NOT EXISTS ${sqlName(`${name}_found`)} AS
    SELECT searches.search AS query, first_seen, records.* FROM social_search_results AS results
    JOIN social_search_searches AS searches
      ON searches.number = results.search AND command = 'watch' AND searches.records = '${name}'
    JOIN ${sqlName(name)} AS records ON records.number = results.number`)
}

import type { DatabaseSync } from 'node:sqlite'
import { type RecordTable, sqlName } from './tables.ts'

/** Affinities that keep whole numbers whole, and that DuckDB can read. */
const columnTypes = { text: 'TEXT', number: 'NUMERIC', boolean: 'INTEGER' } as const

/** The format of files that this version writes, as `user_version` says it. Those of the first version say 0; `upgrade.ts` reads them. */
export const currentFormat = 6

/**
 * What all kinds of records share. `job` is the text of a search's key, `state` its progress as JSON: that of a watch says what is missing.
 * `number` names a search, a purchase or an addition; in results and in tables of records, it is that of a record's row, as `row` is.
 * `search` is the query in `social_search_searches` and in views, and elsewhere the number of a search. `social_search_added` has the rows
 * that `export --new` has yet to export, in the order in which they came. `social_search_seen` has salted hashes of all records that the
 * file has ever had, and of forgotten authors: what has a hash there is not added again. These two are private.
 */
export const sharedTables = `
  PRAGMA user_version = ${currentFormat};
  CREATE TABLE IF NOT EXISTS social_search_searches (
    number INTEGER PRIMARY KEY, search TEXT NOT NULL, network TEXT, command TEXT NOT NULL, params TEXT NOT NULL,
    records TEXT NOT NULL, first_look TEXT, last_look TEXT, job TEXT NOT NULL UNIQUE, state TEXT);
  CREATE TABLE IF NOT EXISTS social_search_results (
    search INTEGER, number INTEGER, first_seen TEXT, PRIMARY KEY (search, number)) WITHOUT ROWID;
  CREATE VIEW IF NOT EXISTS social_search_gaps AS
    SELECT search, network, records, json_extract(state, '$.spans[' || (spans.key + 1) || '].newest') AS "from",
      json_extract(state, spans.fullkey || '.oldest') AS "to"
    FROM social_search_searches, json_each(CASE WHEN json_valid(state) THEN state END, '$.spans') AS spans
    WHERE json_extract(state, spans.fullkey || '.next') IS NOT NULL;
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
  CREATE TABLE IF NOT EXISTS social_search_seen (hash BLOB PRIMARY KEY) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS social_search_salt (salt BLOB NOT NULL);
  INSERT INTO social_search_salt SELECT randomblob(16) WHERE NOT EXISTS (SELECT 1 FROM social_search_salt);`

/**
 * Makes the table of a kind of records, with triggers that keep what belongs to its rows, whoever changes them. Each new row is listed for
 * `export --new`, in the order of additions: numbers of rows do not tell it, since that of a deleted one may come again. Posts have a
 * history of their counts, with a row when a number changes; the first one has the first text if it was edited. What is deleted leaves
 * nothing behind.
 */
export function createTables(database: DatabaseSync, table: RecordTable): void {
  const { name, key, columns, counts, text } = table
  const own = sqlName(name)
  const fields = columns.filter(({ path }) => path !== key).map(({ path, type }) => columnText(path, type))
  const isPost = counts.length > 0 && text !== undefined
  const forgetHistory = `DELETE FROM ${sqlName(`${name}_counts`)} WHERE ${sqlName(key)} = old.${sqlName(key)};`
  // VACUUM keeps a number that is a column.
  database.exec(`${sharedTables}
    CREATE TABLE IF NOT EXISTS ${own} (number INTEGER PRIMARY KEY,
      ${[`${sqlName(key)} TEXT NOT NULL UNIQUE`, ...fields, '"counted_at" TEXT', '"record" TEXT NOT NULL'].join(', ')});
    CREATE TRIGGER IF NOT EXISTS ${sqlName(`${name}_numbered`)} AFTER INSERT ON ${own} BEGIN
      INSERT OR REPLACE INTO social_search_added (records, row) VALUES ('${name}', new.number); END;
    CREATE TRIGGER IF NOT EXISTS ${sqlName(`${name}_deleted`)} AFTER DELETE ON ${own} BEGIN ${isPost ? forgetHistory : ''}
      DELETE FROM social_search_added WHERE records = '${name}' AND row = old.number;
      DELETE FROM social_search_results WHERE number = old.number
        AND search IN (SELECT number FROM social_search_searches WHERE records = '${name}'); END;
    ${isPost ? postsText(table, sqlName(text)) : ''}`)
}

function columnText(path: string, type: keyof typeof columnTypes): string {
  return `${sqlName(path)} ${columnTypes[type]}`
}

/** The history of posts, and a view of those that watches have found, with their queries. */
function postsText({ name, key, counts }: RecordTable, text: string): string {
  const [own, history, keyName] = [name, `${name}_counts`, key].map(sqlName) as [string, string, string]
  const columns = counts.map((path) => columnText(path, 'number'))
  const counted = [key, 'counted_at', ...counts].map(sqlName)
  const add = `INSERT INTO ${history} (${counted.join(', ')}) VALUES (${counted.map((path) => `new.${path}`).join(', ')});`
  const hasOther = counts.map((path) => `old.${sqlName(path)} IS NOT new.${sqlName(path)}`).join(' OR ')
  return `
    CREATE TABLE IF NOT EXISTS ${history} (${keyName} TEXT NOT NULL, "counted_at" TEXT, ${columns.join(', ')}, ${text} TEXT);
    CREATE INDEX IF NOT EXISTS ${sqlName(`${name}_counts_of`)} ON ${history} (${keyName});
    CREATE TRIGGER IF NOT EXISTS ${sqlName(`${name}_counted`)} AFTER INSERT ON ${own} BEGIN ${add} END;
    CREATE TRIGGER IF NOT EXISTS ${sqlName(`${name}_recounted`)} AFTER UPDATE ON ${own} WHEN ${hasOther} BEGIN ${add} END;
    CREATE TRIGGER IF NOT EXISTS ${sqlName(`${name}_edited`)} AFTER UPDATE ON ${own} WHEN old.${text} IS NOT new.${text} BEGIN
      UPDATE ${history} SET ${text} = old.${text} WHERE ${text} IS NULL
        AND rowid = (SELECT min(rowid) FROM ${history} WHERE ${keyName} = old.${keyName}); END;
    CREATE VIEW IF NOT EXISTS ${sqlName(`${name}_found`)} AS
      SELECT searches.search AS query, first_seen, records.* FROM social_search_results AS results
      JOIN social_search_searches AS searches
        ON searches.number = results.search AND command = 'watch' AND searches.records = '${name}'
      JOIN ${own} AS records ON records.number = results.number`
}

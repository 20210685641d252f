/** The SQLite file: posts, which searches found them, how far each walk has come, and what was spent. */
import { DatabaseSync } from 'node:sqlite'
import type { MicroblogSearchPage, MicroblogSearchParams } from 'social-search-sdk'

/** One walk over the pages of a search, from the newest post down. */
export interface Walk {
  id: number
  params: MicroblogSearchParams
  /** Params of the page to buy next; null when the walk is complete. */
  next: MicroblogSearchParams | null
}

export function openArchive(): DatabaseSync {
  const db = new DatabaseSync('posts.db', { timeout: 10_000 })
  // WAL lets `find` and `report` read while `collect` writes.
  db.exec(`
    PRAGMA journal_mode = WAL;
    PRAGMA synchronous = FULL;

    CREATE TABLE IF NOT EXISTS posts (
      number INTEGER PRIMARY KEY,
      id TEXT NOT NULL UNIQUE,
      post TEXT NOT NULL, -- JSON, as the last page had it
      body TEXT AS (post ->> 'body'),
      author TEXT AS (post ->> 'author'),
      time TEXT AS (post ->> 'timestamp')
    );

    -- A post that several searches find has one row in posts and several here.
    CREATE TABLE IF NOT EXISTS matches (
      search TEXT NOT NULL, -- params as JSON
      id TEXT NOT NULL REFERENCES posts (id),
      walk INTEGER NOT NULL, -- the first walk that found it
      PRIMARY KEY (search, id)
    ) WITHOUT ROWID;

    CREATE TABLE IF NOT EXISTS walks (id INTEGER PRIMARY KEY, search TEXT NOT NULL, next TEXT);

    CREATE VIRTUAL TABLE IF NOT EXISTS texts USING fts5 (body, author, content = posts, content_rowid = number);
    CREATE TRIGGER IF NOT EXISTS add_text AFTER INSERT ON posts BEGIN
      INSERT INTO texts (rowid, body, author) VALUES (new.number, new.body, new.author);
    END;
    CREATE TRIGGER IF NOT EXISTS change_text AFTER UPDATE ON posts WHEN old.body <> new.body OR old.author <> new.author BEGIN
      INSERT INTO texts (texts, rowid, body, author) VALUES ('delete', old.number, old.body, old.author);
      INSERT INTO texts (rowid, body, author) VALUES (new.number, new.body, new.author);
    END;
  `)
  return db
}

export function newWalk(db: DatabaseSync, params: MicroblogSearchParams): Walk {
  const { id } = db.prepare('SELECT coalesce(max(id), 0) + 1 AS id FROM walks').get() as { id: number }
  return { id, params, next: params }
}

/** Walks that a kill, an error or the budget has ended early. */
export function unfinishedWalks(db: DatabaseSync): Walk[] {
  const rows = db.prepare('SELECT * FROM walks WHERE next IS NOT NULL ORDER BY id DESC').all()
  return (rows as unknown as { id: number; search: string; next: string }[]).map(({ id, search, next }) => ({
    id,
    params: JSON.parse(search) as MicroblogSearchParams,
    next: JSON.parse(next) as MicroblogSearchParams,
  }))
}

/**
 * Stores a page and the progress of its walk, both or neither. The walk is complete when earlier walks know most posts of a
 * page. One known post is not enough, because the service may list a post late, below newer ones.
 *
 * @returns the number of posts that no search had found before
 */
export function storePage(db: DatabaseSync, walk: Walk, { posts, next }: MicroblogSearchPage): number {
  const search = JSON.stringify(walk.params)
  const knows = db.prepare('SELECT 1 FROM matches WHERE search = ? AND id = ? AND walk < ?')
  const isStored = db.prepare('SELECT 1 FROM posts WHERE id = ?')
  const savePost = db.prepare(
    'INSERT INTO posts (id, post) VALUES (?, ?) ON CONFLICT (id) DO UPDATE SET post = excluded.post',
  )
  const addMatch = db.prepare('INSERT OR IGNORE INTO matches (search, id, walk) VALUES (?, ?, ?)')
  const saveWalk = db.prepare('INSERT OR REPLACE INTO walks (id, search, next) VALUES (?, ?, ?)')
  db.exec('BEGIN IMMEDIATE')
  let known = 0
  let added = 0
  for (const post of posts) {
    if (knows.get(search, post.id, walk.id)) known++
    if (!isStored.get(post.id)) added++
    savePost.run(post.id, JSON.stringify(post))
    addMatch.run(search, post.id, walk.id)
  }
  walk.next = 2 * known > posts.length ? null : next
  saveWalk.run(walk.id, search, walk.next && JSON.stringify(walk.next))
  db.exec('COMMIT')
  return added
}

/** Full-text search in the archive: `npm run find state management`. Prints the 20 newest posts with all words. */
import { openArchive } from './archive.ts'

const words = process.argv
  .slice(2)
  .flatMap((text) => text.split(/\s+/))
  .filter(Boolean)
if (words.length === 0) {
  console.error('Usage: npm run find WORD…')
  process.exit(2)
}
const rows = openArchive()
  .prepare(
    `SELECT time, posts.author, posts.body, post ->> 'url' AS url FROM texts JOIN posts ON number = texts.rowid
     WHERE texts MATCH ? ORDER BY time DESC LIMIT 20`,
  )
  // In quotes, so that FTS5 reads C++ as a word, not as its query language.
  .all(words.map((word) => `"${word.replaceAll('"', '""')}"`).join(' ')) as Record<string, string>[]
for (const { time, author, body, url } of rows)
  // Posts are texts of strangers: control characters could steer your terminal.
  console.log(
    `${time?.slice(0, 10)} @${author} ${body} ${url}`.replaceAll(/[\p{Cc}\p{Bidi_Control}]+/gu, ' '),
  )
if (rows.length === 0) console.log('No post has all these words')

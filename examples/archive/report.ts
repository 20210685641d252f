/**
 * Writes report.html, with the seven days up to the newest post, or up to a day that you name: `npm run report 2026-09-21`.
 * The page needs no network and no scripts, so you can send it.
 */
import { writeFileSync } from 'node:fs'
import type { MicroblogPost } from 'social-search-sdk'
import { openArchive } from './archive.ts'
import { type Search, reportOf } from './report-page.ts'

const db = openArchive()
const { oldest, newest } = db.prepare('SELECT min(time) AS oldest, max(time) AS newest FROM posts').get() as {
  oldest: string | null
  newest: string | null
}
const last = Date.parse((process.argv[2] ?? newest ?? '').slice(0, 10))
if (Number.isNaN(last)) {
  console.error(newest ? `Not a day: ${process.argv[2]}` : 'The archive is empty; run npm start first')
  process.exit(2)
}
const dayBefore = (days: number) => new Date(last - days * 86_400_000).toISOString().slice(0, 10)
const days = [6, 5, 4, 3, 2, 1, 0].map(dayBefore)
const [from, to] = [dayBefore(6), dayBefore(0)]
const rows = db
  .prepare(
    `SELECT DISTINCT search ->> 'query' AS name, post FROM matches JOIN posts USING (id)
     WHERE substr(time, 1, 10) BETWEEN ? AND ? ORDER BY time`,
  )
  .all(dayBefore(13), to) as unknown as { name: string; post: string }[]

// Without posts from before the week before, that week may be incomplete.
const isComparable = oldest !== null && oldest.slice(0, 10) < dayBefore(13)
const searches = [...Map.groupBy(rows, ({ name }) => name)].map(([name, rows]): Search => {
  const posts = rows.map(({ post }) => JSON.parse(post) as MicroblogPost)
  const isNow = ({ timestamp }: MicroblogPost) => timestamp.slice(0, 10) >= from
  return {
    name,
    posts: posts.filter(isNow),
    before: isComparable ? posts.filter((post) => !isNow(post)) : null,
  }
})
searches.sort((a, b) => b.posts.length - a.posts.length)
writeFileSync('report.html', reportOf(searches, days))
const count = new Set(searches.flatMap(({ posts }) => posts.map(({ id }) => id))).size
console.log(`report.html is written: ${count} posts from ${from} to ${to}`)

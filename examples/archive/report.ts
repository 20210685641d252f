/**
 * Writes report.html, with the seven days up to the newest post, or up to a day that you name: `npm run report 2026-09-21`.
 * The page needs no network and no scripts.
 */
import { writeFileSync } from 'node:fs'
import { openArchive } from './archive.ts'

interface Count {
  /** Of a search or an author. */
  name: string
  day: string
  count: number
}

const db = openArchive()
const { newest } = db.prepare('SELECT max(time) AS newest FROM posts').get() as { newest: string | null }
const last = Date.parse((process.argv[2] ?? newest ?? '').slice(0, 10))
if (Number.isNaN(last)) {
  console.error(newest ? `Not a day: ${process.argv[2]}` : 'The archive is empty; run npm start first')
  process.exit(2)
}
const days = [6, 5, 4, 3, 2, 1, 0].map((ago) => new Date(last - ago * 86_400_000).toISOString().slice(0, 10))
const [from = '', to = ''] = [days[0], days[6]]
const countsBy = (name: string, tables: string) =>
  db
    .prepare(
      `SELECT ${name} AS name, substr(time, 1, 10) AS day, count(DISTINCT id) AS count FROM ${tables}
       WHERE day BETWEEN ? AND ? GROUP BY name, day`,
    )
    .all(from, to) as unknown as Count[]

const bySearch = countsBy("search ->> 'query'", 'matches JOIN posts USING (id)')
const byAuthor = countsBy('author', 'posts')
const sum = (counts: Count[]) => counts.reduce((all, { count }) => all + count, 0)
const ranking = (counts: Count[]) =>
  [...Map.groupBy(counts, ({ name }) => name)].sort(([, a], [, b]) => sum(b) - sum(a))
const searches = ranking(bySearch)
const colors = new Map(searches.map(([name], i) => [name, `hsl(${(175 + 137 * i) % 360} 42% 48%)`]))

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escape = (text: string) => text.replaceAll(/[&<>"]/g, (character) => escapes[character] ?? '')
const date = new Intl.DateTimeFormat('en', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
})
const dayName = (day: string) => date.format(new Date(day))

/** A row for each label: a bar with a part for each count. */
function chart(rows: [label: string, counts: Count[]][], valueOf = (value: number) => String(value)): string {
  const highest = Math.max(1, ...rows.map(([, counts]) => sum(counts)))
  const bar = ({ name, count }: Count) =>
    `<i style="width: ${(100 * count) / highest}%; background: ${colors.get(name) ?? 'GrayText'}" title="${escape(name)}: ${count}"></i>`
  const row = ([label, counts]: (typeof rows)[number]) =>
    `<tr><th scope="row">${escape(label)}<td><div>${counts.map(bar).join('')}</div><td>${valueOf(sum(counts))}</tr>`
  return `<table>\n${rows.map(row).join('\n')}\n</table>`
}

const perDay = days.map((day): [string, Count[]] => [
  dayName(day),
  searches.flatMap(([, counts]) => counts.filter((count) => count.day === day)),
])
const percent = (count: number) => `${Math.round((100 * count) / sum(bySearch))} %`
const html = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Posts from ${from} to ${to}</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums }
  body { max-width: 720px; padding: 16px; margin: auto }
  h1 { font-size: 1.5rem }
  h2 { margin: 40px 0 8px; font-size: 1.1rem }
  table { width: 100%; table-layout: fixed; border-spacing: 0 6px }
  th { width: 34%; overflow: hidden; font-weight: 400; text-align: left; text-overflow: ellipsis }
  td:last-child { width: 4em; text-align: right }
  div { display: flex; height: 18px; overflow: hidden }
</style>
<h1>${dayName(from)} to ${dayName(to)}</h1>
<p>${sum(byAuthor)} posts. One that several searches found counts for each of them in the first two charts.</p>
<h2>Posts per day</h2>
${chart(perDay)}
<h2>Share of voice</h2>
${chart(searches, percent)}
<h2>Top authors</h2>
${chart(ranking(byAuthor.map((count) => ({ ...count, name: `@${count.name}` }))).slice(0, 10))}
</html>
`
writeFileSync('report.html', html)
console.log(`report.html is written: ${sum(byAuthor)} posts from ${from} to ${to}`)

/** The report as one HTML page. */
import type { MicroblogPost } from 'social-search-sdk'

/** What a search has found in a week, and in the week before; null if that week may be incomplete. */
export interface Search {
  name: string
  posts: MicroblogPost[]
  before: MicroblogPost[] | null
}

const views = (posts: MicroblogPost[]) =>
  posts.reduce((sum, { engagements }) => sum + engagements.viewsCount, 0)
const number = new Intl.NumberFormat('en', { notation: 'compact' })
const date = new Intl.DateTimeFormat('en', {
  weekday: 'short',
  day: 'numeric',
  month: 'short',
  timeZone: 'UTC',
})
const dayName = (day: string) => date.format(new Date(day))
const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
const escape = (text: string) => text.replaceAll(/[&<>"]/g, (character) => escapes[character] ?? '')

/** Percentages that add up to 100: those that lose most by rounding down are rounded up. */
export function sharesOf(counts: number[]): number[] {
  const total = counts.reduce((sum, count) => sum + count, 0) || 1
  const exact = counts.map((count) => (100 * count) / total)
  const missing = Math.round(exact.reduce((sum, share) => sum + (share % 1), 0))
  const order = exact.map((_, i) => i).sort((a, b) => ((exact[b] ?? 0) % 1) - ((exact[a] ?? 0) % 1))
  return exact.map((share, i) => Math.floor(share) + (order.indexOf(i) < missing ? 1 : 0))
}

/** `20 up 25%`; `×49` beyond ten times. */
function withChange(now: number, then: number | undefined): string {
  const ratio = now / (then || NaN)
  const percent = Math.round(100 * (ratio - 1))
  const change =
    ratio >= 10 ? `×${Math.round(ratio)}` : `${percent > 0 ? 'up' : 'down'} ${Math.abs(percent)}%`
  return `<b>${number.format(now)}</b> <small>${Number.isNaN(ratio) ? '' : percent === 0 ? 'no change' : change}</small>`
}

export function reportOf(searches: Search[], days: string[]): string {
  const colors = searches.map((_, i) => `hsl(${(175 + 137 * i) % 360} 42% 48%)`)
  const swatch = (i: number) => `<i class="swatch" style="background: ${colors[i]}"></i>`
  const shares = sharesOf(searches.map(({ posts }) => posts.length))
  const rows = searches.map(
    ({ name, posts, before }, i) => `<tr><th scope="row">${swatch(i)} ${escape(name)}
      <td>${withChange(posts.length, before?.length)}
      <td>${withChange(views(posts), before ? views(before) : undefined)}
      <td>${shares[i]}%</tr>`,
  )
  const perDay = days.map((day) =>
    searches.map(({ posts }) => posts.filter(({ timestamp }) => timestamp.startsWith(day)).length),
  )
  const sum = (counts: number[]) => counts.reduce((total, count) => total + count, 0)
  const highest = Math.max(1, ...perDay.map(sum))
  const bar = (count: number, i: number) =>
    `<i style="width: ${(100 * count) / highest}%; background: ${colors[i]}" title="${escape(searches[i]?.name ?? '')}: ${count}"></i>`
  const bars = perDay.map(
    (counts, i) =>
      `<tr><th scope="row">${dayName(days[i] ?? '')}<td colspan="2"><div>${counts.map(bar).join('')}</div><td>${sum(counts)}</tr>`,
  )
  const all = [...new Map(searches.flatMap(({ posts }) => posts.map((post) => [post.id, post]))).values()]
  const top = all.sort((a, b) => b.engagements.viewsCount - a.engagements.viewsCount).slice(0, 5)
  const names = new Intl.ListFormat('en').format(searches.map(({ name }) => escape(name)))
  const period = `${dayName(days[0] ?? '')} to ${dayName(days.at(-1) ?? '')}`
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${names}: ${period}</title>
<style>
  :root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; font-variant-numeric: tabular-nums }
  body { max-width: 720px; padding: 16px; margin: auto; overflow-wrap: anywhere }
  h1 { margin: 0; font-size: 1.5rem }
  h2 { margin: 32px 0 8px; font-size: 1.1rem }
  table { width: 100%; table-layout: fixed; border-spacing: 0 6px }
  th, td { font-weight: 400; text-align: right }
  th:first-child { text-align: left }
  div { display: flex; height: 18px }
  i { forced-color-adjust: none }
  .swatch { display: inline-block; width: 0.7em; height: 0.7em }
  li { margin-bottom: 12px }
</style>
<h1>${names}</h1>
<p>${period}: ${all.length} posts. A post found by several searches counts once for each.
<table>
<tr><th scope="col">Search<th scope="col">Posts<th scope="col">Views<th scope="col">Share of posts</tr>
${rows.join('\n')}
</table>
${searches.some(({ before }) => before) ? '<p><small>Up and down: against the seven days before.</small>' : ''}
<h2>Posts per day</h2>
<p>${searches.map(({ name }, i) => `${swatch(i)} ${escape(name)}`).join(' ')}
<table>
${bars.join('\n')}
</table>
<h2>Most viewed</h2>
<ol>
${top.map(item).join('\n')}
</ol>
</html>
`
}

function item({ author, body, url, timestamp, engagements }: MicroblogPost): string {
  const about = `@${escape(author)}, ${dayName(timestamp)}, ${number.format(engagements.viewsCount)} views`
  // A post's address comes from strangers: only the web's own kinds become links.
  return `<li>${escape(body)}<br>${/^https?:\/\//.test(url) ? `<a href="${escape(url)}">${about}</a>` : about}`
}

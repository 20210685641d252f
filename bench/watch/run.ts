/** Compares how soon watches see new posts for the same credits, in virtual time. Fails if ours is too slow. */
import { writeFileSync } from 'node:fs'
import { microblogPageSize } from '../../src/api/endpoints/microblog.ts'
import { day, loads, postsOf } from './loads.ts'
import { doubling, fixed, paced, price } from './rules.ts'
import { type Outcome, meanOf, simulate } from './simulate.ts'

type Weeks = readonly (readonly (readonly number[])[])[]

const seeds = ['a', 'b', 'c']
/** Minutes, the shortest first. */
const intervals = [
  ...[1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 80, 100, 120, 150, 180],
  ...[240, 300, 400, 500, 720, 1440],
]
/** How much slower ours may be than the best fixed interval, where there is twice the money that pages cost. */
const tolerance = 1.15

const lines = [
  '# Watches, simulated',
  '',
  `Made by \`npm run simulate:watch\`: 7 days, ${seeds.length} seeds. Each cell has minutes from publication until a post is read: the mean of all posts, what 19 of 20 do not exceed, and the mean of the slowest search; and how many posts nobody has read in the end.`,
  '',
  '- Pages: what pages of new posts cost on the day with the most, in credits.',
  '- Before: a look each minute, a wait of up to 16 minutes while no posts come, 10 known posts end a look, until the credits of the day are spent.',
  '- Fixed: the shortest interval whose credits fit on average, known only in hindsight. No day has a limit.',
  '- Ours: `watchSearches()` with a `minInterval` of a minute, and of 15 minutes, the default.',
]
const broken: string[] = []

for (const [name, load] of Object.entries(loads)) {
  const weeks = seeds.map((seed) => load.map((each, index) => postsOf(each, 7, `${seed}/${index}`)))
  table(name, weeks, load.length === 1 ? [50, 100, 200, 500] : [200, 500, 1000, 2000])
}
months('1 search, 30 posts an hour, few at night', 100)
months('1 search, 5 posts an hour, and 20 times as many in two hours a day', 50)

console.log(lines.join('\n'))
writeFileSync(new URL('results.md', import.meta.url), `${lines.join('\n')}\n`)
for (const complaint of broken) console.error(`simulate:watch: ${complaint}`)
if (broken.length > 0) process.exitCode = 1

function table(name: string, weeks: Weeks, limits: readonly number[]): void {
  const terms = { days: 7, period: 1, overlap: 3 }
  // What an interval costs does not depend on the budget.
  const hindsight = weeks.map((week) =>
    intervals.map((interval) => simulate(week, fixed(interval), { ...terms, limit: Infinity })),
  )
  const pages = meanOf(weeks.map(dearestDay))
  lines.push('', `## ${name}`, '')
  row('Credits a day', 'Pages', 'Before', 'Fixed', 'Ours', 'Ours, 15 minutes')
  row(...Array.from({ length: 6 }, () => '--:'))
  for (const limit of limits) {
    const before = weeks.map((week) => simulate(week, doubling(), { ...terms, limit, overlap: 10 }))
    const best = hindsight.map((outcomes) => outcomes.find(({ spent }) => spent <= limit))
    const [ours, calm] = [1, 15].map((minInterval) =>
      weeks.map((week) => simulate(week, paced(minInterval), { ...terms, limit })),
    )
    row(String(limit), pages.toFixed(0), ...[before, best, ours, calm].map(cellOf))
    const [mine, theirs] = [ours, best].map((all = []) => meanOf(all.map((each) => each?.mean ?? Infinity)))
    if (limit >= 2 * pages && Number(mine) > tolerance * Number(theirs))
      broken.push(
        `${name}, ${limit} credits a day: ${mine?.toFixed(1)} minutes, ${theirs?.toFixed(1)} at a fixed interval`,
      )
  }
}

/** One budget for four weeks against one for each day. */
function months(name: string, limit: number): void {
  const all = seeds.map((seed) => (loads[name] ?? []).map((load) => postsOf(load, 28, seed)))
  const [daily, monthly] = [1, 28].map((period) =>
    all.map((posts) => simulate(posts, paced(15), { days: 28, period, overlap: 3, limit: limit * period })),
  )
  lines.push('', `## 28 days of ${name}`, '')
  row(`${limit} credits each day`, `${28 * limit} credits in all`)
  row('--:', '--:')
  row(cellOf(daily), cellOf(monthly))
}

function dearestDay(week: readonly (readonly number[])[]): number {
  const times = week.flat().filter((time) => time >= 0)
  const days = Map.groupBy(times, (time) => Math.floor(time / day))
  return (Math.max(...[...days.values()].map(({ length }) => length)) * price) / microblogPageSize
}

function row(...cells: readonly string[]): void {
  lines.push(`| ${cells.join(' | ')} |`)
}

function cellOf(outcomes: readonly (Outcome | undefined)[] = []): string {
  const all = outcomes.filter((outcome) => outcome !== undefined)
  if (all.length < outcomes.length) return 'too dear'
  const mean = (key: keyof Outcome): number => meanOf(all.map((outcome) => outcome[key]))
  const minutes = (['mean', 'late', 'worst'] as const).map(mean)
  const text = minutes.map((each) => each.toFixed(each < 20 ? 1 : 0)).join(' / ')
  return `${text}${mean('unread') >= 1 ? `, ${mean('unread').toFixed(0)} unread` : ''}`
}

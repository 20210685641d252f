/**
 * Says when a query has far more posts today than on the 28 days before. Run it each hour. It buys each past day once, and
 * keeps the counts in state.json.
 */
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { CreditBudget, CreditBudgetError, SocialSearch } from 'social-search-sdk'
import { isSpike } from './spike.ts'

const query = 'coffee'
const client = SocialSearch.fromEnv({ budget: new CreditBudget(40) })
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)
const dayLength = 86_400_000
const now = Date.now()
const today = dayOf(now)
const days = Array.from({ length: 28 }, (_, i) => dayOf(now - (i + 1) * dayLength))

interface State {
  /** Posts of each complete day. */
  counts: Record<string, number>
  /** The day of the last alert. */
  alerted?: string
}
const state: State = existsSync('state.json')
  ? JSON.parse(readFileSync('state.json', 'utf8'))
  : { counts: {} }
state.counts = Object.fromEntries(Object.entries(state.counts).filter(([day]) => days.includes(day)))

const count = (await countDays([today])).get(today) ?? 0
for (const run of missingRuns()) await countDays(run)

const before = days.flatMap((day) => state.counts[day] ?? [])
if (isSpike(count, before) && state.alerted !== today) {
  const usual = before.reduce((sum, each) => sum + each, 0) / before.length
  await alert(
    `${count} posts about ${query} today, ${usual.toFixed(1)} on one of the ${before.length} days before`,
  )
  state.alerted = today
  save()
}
console.log(
  `${count} posts today, ${before.length} days to compare with, ${client.credits.spent} of 40 credits spent`,
)

/** The past days without a count, as runs of days in a row: what lies between them is paid for. */
function missingRuns(): string[][] {
  const runs: string[][] = []
  let run: string[] | undefined
  for (const day of days)
    if (state.counts[day] !== undefined) run = undefined
    else if (run === undefined) runs.push((run = [day]))
    else run.push(day)
  return runs
}

/**
 * Counts the posts of days in a row, newest first, until the budget is empty. It saves each past day that it has read completely. If a
 * later page fails, the next run continues there.
 */
async function countDays(row: string[]): Promise<Map<string, number>> {
  const [newest = today] = row
  const counts = new Map(row.map((day) => [day, 0]))
  const keepAfter = (reached: string) => {
    for (const [day, posts] of counts) if (day > reached && day !== today) state.counts[day] = posts
    save()
  }
  try {
    const filters = { since: row.at(-1), until: dayOf(Date.parse(newest) + dayLength) }
    const search = client.microblog.search({ query, category: 'Latest', filters })
    for await (const { posts } of search.pages()) {
      const read = posts.map(({ timestamp }) => dayOf(Date.parse(timestamp)))
      for (const day of read) if (counts.has(day)) counts.set(day, (counts.get(day) ?? 0) + 1)
      keepAfter(read.at(-1) ?? newest)
    }
    keepAfter('')
  } catch (error) {
    if (!(error instanceof CreditBudgetError)) throw error
  }
  return counts
}

/** Replaces the file in one step, for a run that is killed meanwhile. */
function save(): void {
  writeFileSync('state.json.new', JSON.stringify(state))
  renameSync('state.json.new', 'state.json')
}

async function alert(text: string): Promise<void> {
  console.log(text)
  const { SLACK_URL } = process.env
  if (!SLACK_URL) return
  const { ok, status } = await fetch(SLACK_URL, { method: 'POST', body: JSON.stringify({ text }) })
  if (!ok) throw new Error(`Slack answered ${status}`)
}

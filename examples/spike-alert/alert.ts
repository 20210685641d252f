/**
 * Says when a query has far more posts today than on the 28 days before. Run it each hour. It buys each past day once, and
 * keeps the counts in state.json.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { CreditBudget, CreditBudgetError, SocialSearch } from 'social-search-sdk'
import { isSpike } from './spike.ts'

const query = 'coffee'
const client = SocialSearch.fromEnv({ budget: new CreditBudget(40) })
const dayBefore = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10)
const today = dayBefore(0)
const days = Array.from({ length: 28 }, (_, i) => dayBefore(i + 1))

interface State {
  /** Posts of each complete day. */
  counts: Record<string, number>
  /** The day of the last alert. */
  alerted?: string
}
const state: State = existsSync('state.json')
  ? JSON.parse(readFileSync('state.json', 'utf8'))
  : { counts: {} }

// Past days end the search early if the budget does: the days that are read completely stay, and the next run goes on.
const missing = days.filter((day) => state.counts[day] === undefined)
const [newest, oldest] = [missing[0], missing.at(-1)]
const now = await countDays(today, dayBefore(-1))
const past = newest && oldest ? await countDays(oldest, dayBefore(days.indexOf(newest))) : null
for (const day of missing) if (past?.isComplete(day)) state.counts[day] = past.counts.get(day) ?? 0

const before = days.flatMap((day) => state.counts[day] ?? [])
const count = now.counts.get(today) ?? 0
if (isSpike(count, before)) {
  const usual = before.reduce((sum, each) => sum + each, 0) / before.length
  const text = `${count} posts about ${query} today, ${usual.toFixed(1)} on one of the ${before.length} days before`
  if (state.alerted !== today) await alert(text)
  state.alerted = today
}
writeFileSync('state.json', JSON.stringify({ ...state, counts: Object.fromEntries(days.flatMap(entryOf)) }))
console.log(
  `${count} posts today, ${before.length} days to compare with, ${client.credits.spent} of 40 credits spent`,
)

function entryOf(day: string): [string, number][] {
  const count = state.counts[day]
  return count === undefined ? [] : [[day, count]]
}

/** Counts the posts from one day to before another, newest first, as far as the budget goes. */
async function countDays(since: string, until: string) {
  const counts = new Map<string, number>()
  let reached = until
  try {
    const search = client.microblog.search({ query, category: 'Latest', filters: { since, until } })
    for await (const { timestamp } of search) {
      reached = timestamp.slice(0, 10)
      counts.set(reached, (counts.get(reached) ?? 0) + 1)
    }
    reached = ''
  } catch (error) {
    if (!(error instanceof CreditBudgetError)) throw error
  }
  return { counts, isComplete: (day: string) => day > reached }
}

async function alert(text: string): Promise<void> {
  console.log(text)
  const { SLACK_URL } = process.env
  if (SLACK_URL) await fetch(SLACK_URL, { method: 'POST', body: JSON.stringify({ text }) })
}

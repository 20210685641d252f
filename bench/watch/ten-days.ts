/**
 * Ten days of two watches that share 200 credits a day, in virtual time: a gateway's 502s for four hours, a laptop that sleeps for eight,
 * and a clock that is three hours behind for six. Prints what each day has spent, asked and found, by the service's clock.
 */
import { setImmediate } from 'node:timers/promises'
import FakeTimers from '@sinonjs/fake-timers'
import { SocialSearch } from '../../src/index.ts'
import { SharedBudget, memoryStore } from '../../src/extensions/shared/index.ts'
import { type WatchState, watchSearches } from '../../src/extensions/watch/index.ts'
import { networkPosts, page, post } from '../../test/support/pages.ts'

const [minute, hour, day] = [60_000, 3_600_000, 86_400_000]
const start = Date.parse('2026-11-20T00:00:00Z')
const days = 10
const limit = 200
const watches = [
  { network: 'microblog', searches: { acme: 5, globex: 40, silent: Infinity } },
  { network: 'professionalnet', searches: { initech: 12, umbrella: 150 } },
] as const
const outage = [start + 2 * day + 6 * hour, start + 2 * day + 10 * hour] as const
const sleepAt = start + 4 * day + 20 * hour
const behindAt = start + 6 * day + 12 * hour

const virtual = FakeTimers.install({
  now: start,
  toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'],
})
/** The monotonic clock stops in a sleep. */
let slept = 0
const now = (): number => start + performance.now() + slept

const asked: { at: number; credits: number }[] = []
const found: { at: number; delay: number }[] = []
const ends: string[] = []
const gapMs: Record<string, number> = {}

/** When the post of a query with a number was published. */
const timeOf = (minutes: number, number: number): number => start - 2 * day + number * minutes * minute

async function answer(request: Request): Promise<Response> {
  const body = (await request.json()) as { query: string; cursor?: string; page?: number }
  const { query, cursor, page: number = 1 } = body
  const isNumbered = request.url.includes('professionalnet')
  const at = now()
  if (at >= outage[0] && at < outage[1]) {
    asked.push({ at, credits: 0 })
    return new Response('<html>', { status: 502 })
  }
  asked.push({ at, credits: isNumbered ? 4 : 2 })
  const minutes = Object.fromEntries(watches.flatMap(({ searches }) => Object.entries(searches)))[query] ?? 0
  const newest = minutes === Infinity ? -1 : Math.floor((at - start + 2 * day) / (minutes * minute))
  const first = isNumbered ? newest - 20 * (number - 1) : Number(cursor ?? newest)
  const numbers = Array.from({ length: 20 }, (_, n) => first - n).filter((each) => each >= 0)
  const times = numbers.map((each) => new Date(timeOf(minutes, each)).toISOString())
  const ids = numbers.map((each) => `${query} ${each}`)
  if (isNumbered) {
    const { posts, ...rest } = networkPosts(number, ...ids) as { posts: object[] }
    return Response.json({ ...rest, posts: posts.map((each, n) => ({ ...each, postedAt: times[n] })) })
  }
  const posts = ids.map((id, n) => ({ ...post(id), timestamp: times[n] }))
  return Response.json({ ...page([], first >= 20 ? String(first - 20) : undefined), posts })
}

const store = memoryStore()

/** A watch whose supervisor starts it again after a minute when it ends. */
async function run({ network, searches }: (typeof watches)[number]): Promise<void> {
  let states: Record<string, WatchState> = {}
  for (;;) {
    const client = new SocialSearch({
      ...{ baseUrl: 'https://api.example/v1', apiKey: 'org_live_key', logger: false },
      fetch: answer,
    })
    const budget = new SharedBudget({ store, name: 'watches', limit, every: 'day', logger: false })
    const all = Object.fromEntries(Object.keys(searches).map((query) => [query, { query, network }]))
    try {
      for await (const { name, posts, state, gaps } of watchSearches(client, all, {
        budget,
        states,
        from: 'now',
      })) {
        states = { ...states, [name]: structuredClone(state) }
        const sizes = gaps.map(({ from, to }) => Date.parse(to ?? '') - Date.parse(from ?? ''))
        gapMs[name] = sizes.reduce((sum, size) => sum + (size || 0), 0)
        missing[dayOf(now())] = Math.max(missing[dayOf(now())] ?? 0, ...Object.values(gapMs))
        for (const each of posts as { timestamp?: string; postedAt?: string }[])
          found.push({ at: now(), delay: now() - Date.parse(each.timestamp ?? each.postedAt ?? '') })
      }
    } catch (error) {
      ends.push(`day ${dayOf(now()) + 1}: ${(error as Error).message}`)
    }
    await new Promise((resolve) => setTimeout(resolve, minute))
  }
}

const dayOf = (time: number): number => Math.floor((time - start) / day)
/** The longest time of which posts were missing, on each day. */
const missing: number[] = Array.from({ length: days }, () => 0)

for (const watch of watches) void run(watch)
const setClock = (ms: number) => virtual.setSystemTime(Date.now() + ms)
const fallAsleep = (): void => {
  slept += 8 * hour
  setClock(8 * hour)
}
const events = [
  { at: sleepAt, happen: fallAsleep },
  { at: behindAt, happen: () => setClock(-3 * hour) },
  { at: behindAt + 6 * hour, happen: () => setClock(3 * hour) },
]
while (now() < start + days * day) {
  // Digests and bodies of responses take real turns.
  for (let turn = 0; turn < 8; turn++) await setImmediate()
  const event = events[0]
  if (event !== undefined && now() >= event.at) {
    events.shift()
    event.happen()
  }
  await virtual.tickAsync(Math.min(minute, Math.max(1, (event?.at ?? Infinity) - now())))
}

console.log('| Day | Credits | Requests | in the busiest hour | Posts | Mean delay | Longest gap |')
console.log('| --- | --: | --: | --: | --: | --: | --: |')
for (let index = 0; index < days; index++) {
  const requests = asked.filter(({ at }) => dayOf(at) === index)
  const hours = Array.from({ length: 24 }, (_, of) =>
    requests.filter(({ at }) => Math.floor(((at - start) % day) / hour) === of),
  )
  const posts = found.filter(({ at }) => dayOf(at) === index)
  const delay = posts.reduce((sum, each) => sum + each.delay, 0) / posts.length / minute
  const credits = requests.reduce((sum, each) => sum + each.credits, 0)
  const busiest = Math.max(...hours.map(({ length }) => length))
  const gaps = ((missing[index] ?? 0) / hour).toFixed(1)
  console.log(
    `| ${index + 1} | ${credits} | ${requests.length} | ${busiest} | ${posts.length} | ${delay.toFixed(0)} min | ${gaps} h |`,
  )
}
const during = asked.filter(({ at }) => at >= outage[0] && at < outage[1]).length / 4
console.log(
  `\n${during} requests an hour during the outage. ${ends.length === 0 ? 'No watch ended.' : `Watches ended ${ends.length} times: ${ends.slice(0, 5).join('; ')}`}`,
)
process.exit(0)

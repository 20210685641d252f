/**
 * Makes calls that are aborted at any moment, with budgets and credentials that answer, refuse, fail or never settle, and
 * clients that close at any time, in this process and behind a proxy. Prints what goes wrong as JSON. An unhandled rejection
 * ends the process if node has --unhandled-rejections=throw.
 *
 *   node --unhandled-rejections=throw test/processes/aborts/run.ts SEED ROUNDS
 */
import { SocialSearch, isSocialSearchError } from '../../../src/index.ts'
import { createProxy } from '../../../src/extensions/proxy/index.ts'
import { type Fault, type Sandbox, createSandbox } from '../../../src/extensions/sandbox/index.ts'
import { WatchedBudget, ownError } from './budgets.ts'
import { anyCredential, uses } from './calls.ts'
import { anyMoment, below, chance, pick, sleep, until } from './draw.ts'
import { miscounts } from '../../support/ledger.ts'

const rounds = Number(process.argv[3])
const perRound = 12
/** How long a client stays open, and in which time its calls must have settled then. */
const openMs = 100
const graceMs = 5000
const problems: string[] = []
const outcomes: Record<string, number> = {}

const faults: Fault[] = [
  { delay: 4 },
  { reset: 'before' },
  { reset: 'after' },
  { cut: 'truncate' },
  { cut: 'stall' },
  { status: 503, retryAfter: 1 },
  { status: 429, retryAfter: 1 },
  { status: 400 },
  { status: 502, body: '<h1>Bad gateway</h1>' },
  { body: 'not JSON' },
]

/** A call that was made. It never rejects. */
interface Made {
  readonly label: string
  readonly settled: Promise<void>
}

function count(outcome: unknown): void {
  const kind = outcome instanceof Error ? outcome.name : String(outcome)
  outcomes[kind] = (outcomes[kind] ?? 0) + 1
}

function make(client: SocialSearch, budgets: WatchedBudget[]): Made {
  const abort = new AbortController()
  const { signal } = abort
  const reason = new Error('aborted by the test')
  const stop = (): void => abort.abort(reason)
  const use = pick(Object.keys(uses))
  const budget = chance(0.7) ? new WatchedBudget() : undefined
  const when = pick(['never', 'never', 'never', 'before', 'later', 'later', 'asked', 'page'])
  const label = `${use}, ${budget?.kind ?? 'no budget'} of ${budget?.inner.limit ?? 0}, aborted ${when}`
  if (budget !== undefined) budgets.push(budget)
  if (when === 'before') stop()
  if (when === 'asked' && budget !== undefined) budget.onAsked = stop
  const options = { signal, budget, timeout: 20, ...(chance(0.2) && { deadline: 1 + below(8) }) }
  const work = async (): Promise<unknown> =>
    uses[use]?.(client, options, () => {
      if (when === 'page') stop()
    })
  const settled = work().then(
    () => 'done',
    (error: unknown) => {
      const isOwn = error === reason || error === ownError || isSocialSearchError(error)
      if (!isOwn) problems.push(`${label}: rejected with ${String(error)}`)
      return error
    },
  )
  if (when === 'later') void until(anyMoment()).then(stop)
  if (when === 'before')
    void settled.then(() => {
      if (budget !== undefined && budget.asked > 0) problems.push(`${label}: asked the budget`)
    })
  return { label, settled: settled.then(count) }
}

/** A visitor of a proxy, who may leave. */
function visit(proxy: (request: Request) => Promise<Response>): Made {
  const abort = new AbortController()
  const when = pick(['never', 'never', 'before', 'later', 'later'])
  if (when === 'before') abort.abort()
  const request = new Request('https://app.example/api/data/microblog/tweets/search', {
    ...{ method: 'POST', signal: abort.signal, headers: { 'content-type': 'application/json' } },
    body: JSON.stringify({ query: chance(0.1) ? '' : 'coffee' }),
  })
  const label = `a visitor who leaves ${when}`
  const settled = proxy(request).then(
    ({ status }) => status,
    (error: unknown) => void problems.push(`${label}: ${String(error)}`),
  )
  if (when === 'later') void until(anyMoment()).then(() => abort.abort())
  return { label, settled: settled.then(count) }
}

function check(name: string, sandbox: Sandbox, { credits }: SocialSearch): void {
  problems.push(...miscounts(credits, sandbox.ledger.spent).map((problem) => `${name}: ${problem}`))
}

/** Waits until the calls have settled, at most so long; returns those that have not. */
async function settle(calls: readonly Made[], ms: number): Promise<Set<Made>> {
  const open = new Set(calls)
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>((resolve) => (timer = setTimeout(resolve, ms)))
  const all = Promise.all(calls.map((made) => made.settled.then(() => open.delete(made))))
  await Promise.race([all, late])
  clearTimeout(timer)
  return open
}

async function round(number: number): Promise<void> {
  const sandbox = createSandbox({
    posts: 200,
    latency: [0, 2],
    limits: { perMinute: false, inFlight: false },
  })
  const { baseUrl, fetch } = sandbox
  for (let i = below(3); i > 0; i--) sandbox.inject({ ...pick(faults), skip: below(20) })
  const name = `round ${number}`
  const isProxied = chance(0.4)
  const shared = chance(0.3) ? new WatchedBudget() : undefined
  const client = new SocialSearch({
    ...{ baseUrl, fetch, budget: shared, organization: name, ...anyCredential(sandbox.apiKey) },
    ...{ limits: { perMinute: false }, retry: { maxWait: 10 } },
  })
  const budgets: WatchedBudget[] = []
  const visitors = new WatchedBudget()
  const proxy = createProxy({
    client,
    allow: ['microblog.search', 'professionalnet.industries.list', 'organization.usage'],
    authorize: () => until(anyMoment()).then(() => ({ id: 'ada' })),
    budget: () => until(anyMoment()).then(() => (chance(0.1) ? Promise.reject(ownError) : visitors)),
    onError: () => {},
  })
  const page = new SocialSearch({
    ...{ baseUrl: 'https://app.example/api', auth: false, fetch: proxy, retry: false },
    ...{ organization: `page of ${name}`, limits: { perMinute: false } },
  })
  const isClosedFirst = chance(0.1)
  if (isClosedFirst) await client.close()
  const calls = Array.from({ length: perRound }, () =>
    isProxied && chance(0.5) ? visit(proxy) : make(isProxied ? page : client, budgets),
  )
  if (chance(0.2)) void until(anyMoment()).then(() => client.close())
  await settle(calls, openMs)
  await Promise.all([client.close(), page.close()])
  for (const { label } of await settle(calls, graceMs)) problems.push(`${name}: has not settled: ${label}`)
  const all = [...budgets, visitors, ...(shared ? [shared] : [])]
  for (let times = 0; times < 3; times++) {
    await Promise.all(all.map(({ answered }) => answered))
    // What a call does with a late answer: it may ask another budget.
    await sleep(1)
  }
  check(name, sandbox, client)
  for (const budget of all)
    for (const problem of budget.problems(budgets.includes(budget) ? 1 : perRound))
      problems.push(`${name}: ${problem}`)
}

for (let number = 0; number < rounds; number += 8)
  await Promise.all(Array.from({ length: 8 }, (_, index) => round(number + index)))
console.log(JSON.stringify({ problems: problems.slice(0, 20), outcomes }))
process.exitCode = problems.length > 0 ? 2 : 0

/**
 * What the package costs, as ratios: each pair is measured in turns, in one run, since times of different runs or machines
 * cannot be compared. Nothing is sent: the answers are made on the spot.
 */
import { SocialSearch } from 'social-search-sdk'
import { createSandbox } from 'social-search-sdk/sandbox'
import { startRatios } from './start.ts'

const limits = { perMinute: false } as const
const baseUrl = 'http://localhost/v1'
const sandbox = createSandbox({ seed: 1, limits })
const page = await (
  await sandbox.fetch(
    new Request(`${sandbox.baseUrl}/data/microblog/tweets/search`, {
      method: 'POST',
      headers: { authorization: `Bearer ${sandbox.apiKey}`, 'content-type': 'application/json' },
      body: '{"query":"typescript"}',
    }),
  )
).text()
const headers = { 'content-type': 'application/json' }
const fetch = (): Promise<Response> => Promise.resolve(new Response(page, { headers }))

let organizations = 0
/** A client with limits of its own, so that no pair meets another. */
function clientOf(organization = `bench ${organizations++}`): SocialSearch {
  return new SocialSearch({ baseUrl, auth: false, fetch, limits, organization })
}

const query = { query: 'typescript' }
const single = clientOf()
const bare = async (): Promise<unknown> => JSON.parse(await (await fetch()).text())

/** Many calls at once on some clients of one organization; all but two of them have to queue. */
function crowd(calls: number, clients = 1): () => Promise<unknown> {
  const organization = `crowd ${organizations++}`
  const members = Array.from({ length: clients }, () => clientOf(organization))
  return () =>
    Promise.all(Array.from({ length: calls }, async (_, i) => members[i % clients]?.microblog.search(query)))
}

interface Pair {
  what: string
  than: string
  run: () => Promise<unknown>
  base: () => Promise<unknown>
  /** How much more work the first does, so that the ratio is that of the same work. */
  times?: number
}

const pairs: Pair[] = [
  {
    ...{ what: 'a search of twenty posts', than: 'its bare fetch and JSON.parse' },
    ...{ run: async () => single.microblog.search(query), base: bare },
  },
  {
    ...{ what: 'a search of twenty posts', than: 'one with validation: off' },
    run: async () => single.microblog.search(query),
    base: async () => single.microblog.search(query, { validation: 'off' }),
  },
  {
    ...{ what: 'a call among 2,000 that queue', than: 'one among 200' },
    ...{ run: crowd(2_000), base: crowd(200), times: 10 },
  },
  {
    ...{ what: 'a call of 200 clients that queue', than: 'one of a single client' },
    ...{ run: crowd(1_000, 200), base: crowd(1_000) },
  },
]

const rounds = 15
/** Long enough that the clock's grain does not matter, in milliseconds. */
const sampleMs = 20

async function timeOf(run: () => Promise<unknown>, repeats: number): Promise<number> {
  const start = performance.now()
  for (let i = 0; i < repeats; i++) await run()
  return (performance.now() - start) / repeats
}

async function repeatsOf(run: () => Promise<unknown>): Promise<number> {
  await timeOf(run, 3)
  return Math.max(1, Math.ceil(sampleMs / (await timeOf(run, 3))))
}

for (const { what, than, run, base, times = 1 } of pairs) {
  const [runRepeats, baseRepeats] = [await repeatsOf(run), await repeatsOf(base)]
  const ratios: number[] = []
  for (let round = 0; round < rounds; round++) {
    const own = await timeOf(run, runRepeats)
    ratios.push(own / times / (await timeOf(base, baseRepeats)))
  }
  report(ratios, `${what}, against ${than}`)
}
report(startRatios(rounds), 'importing it and making a client, against importing ky, p-retry, p-limit and zod')

function report(ratios: number[], what: string): void {
  ratios.sort((a, b) => a - b)
  const at = (part: number): string => (ratios[Math.floor(part * (rounds - 1))] ?? NaN).toFixed(2)
  console.log(`${at(0.5)} × (${at(0.25)} to ${at(0.75)})  ${what}`)
}

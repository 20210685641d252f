import { createHash } from 'node:crypto'
import { type Episode, runEpisode } from './episode.ts'
import { mishaps } from './mishaps.ts'

/** Calls of one episode. */
const callsOfEpisode = 50

/** Calls in which everything that is not rare must happen. */
const leastForAll = 5000

/** Failed episodes that are shown. */
const mostShown = 10

interface Options {
  readonly calls: number
  readonly seed: string
  /** Runs this episode alone. */
  readonly episode?: number | undefined
  /** Prints all lines. */
  readonly isTraced?: boolean
  log?(line: string): void
}

export interface Result {
  /** Of all lines of the trace. */
  readonly digest: string
  readonly failed: number
}

/** Runs as many episodes as it takes to make the calls, and shows those that fail. */
export async function runMisfortune({
  calls,
  seed,
  episode: only,
  isTraced = false,
  log = () => {},
}: Options): Promise<Result> {
  const digest = createHash('sha256')
  const seen = new Set<string>()
  const start = performance.now()
  const kinds = new Map<string, { times: number; first: number }>()
  let failed = 0
  let requests = 0
  const count = Math.ceil(calls / callsOfEpisode)
  for (let index = only ?? 0; index < (only === undefined ? count : only + 1); index++) {
    const episode = await runEpisode(
      `${seed}/${index}`,
      Math.min(callsOfEpisode, calls - index * callsOfEpisode),
    )
    digest.update(episode.trace.digest())
    requests += episode.requests.length
    for (const { mishap } of episode.requests) seen.add(mishap)
    for (const failure of new Set(episode.trace.failures.map(kindOf))) {
      const { times = 0, first = index } = kinds.get(failure) ?? {}
      kinds.set(failure, { times: times + 1, first })
    }
    if (isTraced) log(episode.trace.lines.join('\n'))
    if (episode.trace.failures.length > 0 && ++failed <= mostShown && !isTraced)
      show(episode, seed, index, log)
  }
  for (const [kind, { times, first }] of [...kinds].sort(([, a], [, b]) => b.times - a.times))
    log(`✗ ${kind}: in ${times} episodes, first in ${first}`)
  const missing = only === undefined && calls >= leastForAll ? neverSeen(seen) : []
  if (missing.length > 0) log(`✗ never happened: ${missing.join(', ')}`)
  const seconds = ((performance.now() - start) / 1000).toFixed(0)
  log(
    `${calls} calls, ${requests} requests, seed ${seed}, ${seconds} s: ${failed} of ${count} episodes failed`,
  )
  return { digest: digest.digest('hex'), failed: failed + missing.length }
}

/** Mishaps that are not rare, and did not happen: nothing was tested against them. */
function neverSeen(seen: ReadonlySet<string>): string[] {
  return mishaps.filter(({ name, weight }) => weight >= 1 && !seen.has(name)).map(({ name }) => name)
}

/** A failure without the numbers that differ each time. */
function kindOf(failure: string): string {
  return (failure.split('\n')[0] ?? '').replaceAll(/\d[\d.]*/g, 'N').slice(0, 160)
}

/** Prints what is broken, and the last lines of the calls that it is about. */
function show({ trace }: Episode, seed: string, index: number, log: (line: string) => void): void {
  log(
    `\nepisode ${index} of seed ${seed}; replay it: npx node test/soak/misfortune.ts --seed ${seed} --episode ${index} --trace`,
  )
  const first = new Map(trace.failures.toReversed().map((failure) => [kindOf(failure), failure]))
  for (const failure of [...first.values()].toReversed().slice(0, 5)) {
    log(`✗ ${failure}`)
    const id = /call \d+/.exec(failure)?.[0]
    const lines =
      id === undefined ? trace.lines : trace.lines.filter((line) => new RegExp(`${id}\\b`).test(line))
    for (const line of lines.slice(-12)) log(`  ${line.slice(0, 300)}`)
  }
}

import { createHash } from 'node:crypto'
import { runEpisode } from './episode.ts'
import { mishaps } from './mishaps.ts'

/** Calls of one episode. */
const callsOfEpisode = 50

/** Calls in which everything must happen. */
const leastForAll = 5000

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

/** Runs as many episodes as it takes to make the calls, and says what fails in each, and how to see it again. */
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
  let failed = 0
  let requests = 0
  const count = Math.ceil(calls / callsOfEpisode)
  for (let index = only ?? 0; index < (only === undefined ? count : only + 1); index++) {
    const left = Math.min(callsOfEpisode, calls - index * callsOfEpisode)
    const { trace, requests: made } = await runEpisode(`${seed}/${index}`, left)
    digest.update(trace.digest())
    requests += made.length
    for (const { mishap } of made) seen.add(mishap)
    if (isTraced) log(trace.lines.join('\n'))
    if (trace.failures.length === 0) continue
    failed++
    log(`✗ npx node test/soak/misfortune.ts --seed ${seed} --episode ${index} --trace`)
    for (const failure of trace.failures.slice(0, 5)) log(`✗ ${failure}`)
  }
  // Nothing was tested against what did not happen.
  const missing = mishaps.filter(({ name }) => !seen.has(name)).map(({ name }) => name)
  const isShort = only !== undefined || calls < leastForAll || missing.length === 0
  if (!isShort) log(`✗ never happened: ${missing.join(', ')}`)
  const seconds = ((performance.now() - start) / 1000).toFixed(0)
  log(
    `${calls} calls, ${requests} requests, seed ${seed}, ${seconds} s: ${failed} of ${count} episodes failed`,
  )
  return { digest: digest.digest('hex'), failed: isShort ? failed : failed + missing.length }
}

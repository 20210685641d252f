/**
 * Makes calls that meet with random misfortune, on a virtual clock and a simulated network, and checks with a ledger that
 * it keeps itself that money, limits, time and secrets come out right. The same seed gives the same trace.
 *
 *   npx node test/soak/misfortune.ts --calls 50000 --seed 1
 *   npx node test/soak/misfortune.ts --seed 1 --episode 17 --trace
 */
import { parseArgs } from 'node:util'
import { wholeNumber } from '../../bench/simulate/plan.ts'
import { runMisfortune } from './misfortune/run.ts'

const { values } = parseArgs({
  options: {
    calls: { type: 'string', default: '50000' },
    seed: { type: 'string', default: '1' },
    episode: { type: 'string' },
    trace: { type: 'boolean', default: false },
  },
})
const episode = values.episode === undefined ? undefined : Number(values.episode)

const result = await runMisfortune({
  calls: wholeNumber('calls', values.calls),
  seed: values.seed,
  episode,
  log: console.log,
  isTraced: values.trace,
})
process.exitCode = result.failed > 0 ? 1 : 0

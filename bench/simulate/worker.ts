import { parentPort } from 'node:worker_threads'
import type { Job } from './job.ts'
import { type Outcome, measure } from './measure.ts'
import { scenarios } from './scenarios.ts'
import { strategies } from './strategies.ts'
import { type Summary, summarize } from './summary.ts'

// Stacks of hundreds of thousands of errors cost time, and no test reads them.
Error.stackTraceLimit = 0

async function run({ scenario: scenarioName, strategy: strategyName, calls, seeds }: Job): Promise<Summary> {
  const scenario = scenarios.find(({ name }) => name === scenarioName)
  const strategy = strategies.find(({ name }) => name === strategyName)
  if (scenario === undefined || strategy === undefined) {
    throw new Error(`unknown scenario ${scenarioName} or strategy ${strategyName}`)
  }
  const outcomes: Outcome[] = []
  for (let seed = 1; seed <= seeds; seed++) outcomes.push(await measure(scenario, strategy, calls, seed))
  return summarize(scenarioName, strategyName, outcomes)
}

parentPort?.on('message', (job: Job) => {
  // A failure stays unhandled and ends the worker, which the pool notices.
  void run(job).then((summary) => parentPort?.postMessage(summary))
})

/**
 * Fails if a search exceeds a bound of `bounds.json`, or passes one of the four packages by; and if there are more exported
 * names, options or words of docs than there. A commit that raises one of these says why. It measures counts and bytes, which
 * are equal on all machines, and no times. With `--paths`, it prints the files and functions that a search, a 429 and
 * a failed page go through.
 */
import packageJson from '../../package.json' with { type: 'json' }
import bounds from './bounds.json' with { type: 'json' }
import { countsOfPublic } from './counts.ts'
import { functionsCalled } from './coverage.ts'
import { bytesOfWaitingCall, crowdSize, crowds, requestsOfSearch, warmScenarios } from './figures.ts'
import { printPaths } from './paths.ts'

const sources = new URL('../../src/', import.meta.url)
const packages = new URL('../../node_modules/', import.meta.url)

// First, since counting calls makes V8 keep more memory.
// The least of five: code that is compiled meanwhile takes memory, too.
let waitingBytes = Infinity
for (let i = 0; i < 5; i++) waitingBytes = Math.min(waitingBytes, await bytesOfWaitingCall())
const scenarios = await warmScenarios()
hold('bytes of a waiting call', Math.round(waitingBytes), bounds.waitingBytes)
hold('requests for one search', await requestsOfSearch(), bounds.requests)

const inPackages = await functionsCalled(packages, () => scenarios.search())
for (const name of bounds.packages) {
  const range = (packageJson.dependencies as Record<string, string | undefined>)[name]
  const calls = inPackages.filter(({ file }) => file.startsWith(`${name}/`)).length
  check(range?.startsWith('^') === true && calls > 0, `${name} ${range}: ${calls} functions run in a search`)
}

for (const [name, run] of Object.entries(crowds)) {
  const steps = (await functionsCalled(sources, run)).reduce((sum, { calls }) => sum + calls, 0)
  hold(`functions entered for each of ${crowdSize} ${name}`, Math.round(steps / crowdSize), bounds.crowdSteps)
}

const { exportedNames, options, wordsOfDocs } = countsOfPublic()
hold('exported names', exportedNames, bounds.exportedNames)
hold('options', options, bounds.options)
hold('words of README.md and docs', wordsOfDocs, bounds.wordsOfDocs)

if (process.argv.includes('--paths')) await printPaths(sources, scenarios)
// Waiting calls keep the process alive.
process.exit()

function hold(what: string, found: number, most: number): void {
  check(found <= most, `${what}: ${found}, at most ${most}`)
}

function check(holds: boolean, said: string): void {
  console.log(`${holds ? '✓' : '✗'} ${said}`)
  if (!holds) process.exitCode = 1
}

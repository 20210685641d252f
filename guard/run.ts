/**
 * Fails if a search exceeds a bound of `bounds.json`. It measures counts and bytes, which are equal on all machines,
 * and no times. With `--list`, it prints the files and functions of a search in the order of their first call.
 */
import bounds from './bounds.json' with { type: 'json' }
import { functionsCalled } from './coverage.ts'
import { bytesOfWaitingCall, requestsOfSearch, warmSearch } from './figures.ts'
import { inOrderOfCall } from './order.ts'

const folder = new URL('../src/', import.meta.url)

// First, since counting calls makes V8 keep more memory.
const waitingBytes = await bytesOfWaitingCall()
const search = await warmSearch()
const called = await functionsCalled(folder, search)

hold('files that a warm search passes', new Set(called.map(({ file }) => file)).size, bounds.files)
hold('bytes of a waiting call', Math.round(waitingBytes), bounds.waitingBytes)
hold('requests for one search', await requestsOfSearch(), bounds.requests)

if (process.argv.includes('--list')) {
  for (const { file, name, calls } of await inOrderOfCall(folder, called, search))
    console.log(`${String(calls).padStart(4)} ${file} ${name || '(callback)'}`)
}
// Waiting calls keep the process alive.
process.exit()

function hold(what: string, found: number, most: number): void {
  const holds = found <= most
  console.log(`${holds ? '✓' : '✗'} ${what}: ${found}, at most ${most}`)
  if (!holds) process.exitCode = 1
}

/**
 * Fails a test in which a real timer of more than 50 ms fires: a test that waits is slow, and on a busy machine it waits for too
 * little or for too long. Fails one that leaves such a timer behind, too: it would fire in another test, on a busy machine alone.
 * Runs before each file of `npm test`.
 */
import { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers'
import promises from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, onTestFinished } from 'vitest'

const longestMs = 50

/** Set the timers on which nobody waits: one renews leases, one asks why calls are queued. Work that takes long meets them. */
const background = ['src/extensions/shared/stored-text.ts', 'src/core/call/open-calls.ts'].map((path) => {
  const file = fileURLToPath(new URL(`../../${path}`, import.meta.url))
  if (!existsSync(file)) throw new Error(`${path} has moved`)
  return file
})

interface Timers {
  /** What to throw for each that has fired. */
  readonly fired: Error[]
  /** Those of the test that runs. */
  readonly armed: Map<NodeJS.Timeout, Error>
}

/** The files of a worker share it. */
const shared = globalThis as { watchedTimers?: Timers }
shared.watchedTimers ??= watchTimers({ fired: [], armed: new Map() })
const { fired, armed } = shared.watchedTimers

beforeEach(() => {
  armed.clear()
  // After all that ends what the test has begun.
  onTestFinished(() => {
    for (const [timer, wait] of armed) if (timer.hasRef() && isArmed(timer)) throw wait
  })
})

afterEach(() => {
  const [first] = fired.splice(0)
  if (first !== undefined) throw first
})

/** As Node keeps it; it says so nowhere else. */
const isArmed = (timer: NodeJS.Timeout): boolean => !(timer as unknown as { _destroyed: boolean })._destroyed

/** Wraps all that sets timers. Fake timers replace the wrappers. */
function watchTimers(watched: Timers): Timers {
  const { fired, armed } = watched
  for (const name of ['setTimeout', 'setInterval'] as const) {
    const real = timers[name]
    const wrapper = (callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
      const wait = waitOf(ms)
      if (wait === undefined) return real(callback, ms, ...args)
      const timer = real(() => {
        if (timer.hasRef()) fired.push(wait)
        callback(...args)
      }, ms)
      armed.set(timer, wait)
      return timer
    }
    Object.assign(timers, { [name]: Object.assign(wrapper, { [promisify.custom]: promises.setTimeout }) })
    Object.assign(globalThis, { [name]: timers[name] })
  }
  const pause = promises.setTimeout
  promises.setTimeout = async (ms, value, options) => {
    const wait = waitOf(ms)
    const result = await pause(ms, value, options)
    if (wait !== undefined) fired.push(wait)
    return result
  }
  const { timeout } = AbortSignal
  AbortSignal.timeout = (ms) => {
    const wait = waitOf(ms)
    const signal = timeout.call(AbortSignal, ms)
    if (wait !== undefined) signal.addEventListener('abort', () => fired.push(wait))
    return signal
  }
  syncBuiltinESMExports()
  return watched
}

/** What to throw for a timer of so many milliseconds; undefined if nobody waits for it. */
function waitOf(ms = 0): Error | undefined {
  if (ms <= longestMs) return undefined
  const wait = new Error(
    `the test sets a real timer of ${ms} ms, and waits for it or leaves it behind; use virtual time, or wait for an event`,
  )
  const { prepareStackTrace } = Error
  Error.prepareStackTrace = (_, sites) => sites.map((site) => site.getFileName() ?? '')
  const files = new Error().stack as unknown as string[]
  Error.prepareStackTrace = prepareStackTrace
  return files.some((file) => background.includes(file)) ? undefined : wait
}

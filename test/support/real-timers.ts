/**
 * Fails a test in which a real timer of more than 50 ms fires: a test that waits is slow, and on a busy machine it waits for too
 * little or for too long. Runs before each file of `npm test`.
 */
import { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'
import timers from 'node:timers'
import promises from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterEach } from 'vitest'

const longestMs = 50

/** Set the timers on which nobody waits: one renews leases, one asks why calls are queued. Work that takes long meets them. */
const background = ['src/extensions/shared/stored-text.ts', 'src/core/call/open-calls.ts'].map((path) => {
  const file = fileURLToPath(new URL(`../../${path}`, import.meta.url))
  if (!existsSync(file)) throw new Error(`${path} has moved`)
  return file
})

/** Of timers that have fired, each made where its timer was set. The files of a worker share it. */
const shared = globalThis as { firedTimers?: Error[] }
shared.firedTimers ??= watchTimers([])
const fired = shared.firedTimers

afterEach(() => {
  const [first] = fired.splice(0)
  if (first !== undefined) throw first
})

/** Wraps all that sets timers. Fake timers replace the wrappers. */
function watchTimers(fired: Error[]): Error[] {
  for (const name of ['setTimeout', 'setInterval'] as const) {
    const real = timers[name]
    const wrapper = (callback: (...args: unknown[]) => void, ms?: number, ...args: unknown[]) => {
      const wait = waitOf(ms)
      if (wait === undefined) return real(callback, ms, ...args)
      const timer = real(() => {
        if (timer.hasRef()) fired.push(wait)
        callback(...args)
      }, ms)
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
  return fired
}

/** What to throw when a timer of so many milliseconds fires; undefined if nobody waits for it. */
function waitOf(ms = 0): Error | undefined {
  if (ms <= longestMs) return undefined
  const wait = new Error(
    `the test waited for a real timer of ${ms} ms; use virtual time, or wait for an event`,
  )
  const { prepareStackTrace } = Error
  Error.prepareStackTrace = (_, sites) => sites.map((site) => site.getFileName() ?? '')
  const files = new Error().stack as unknown as string[]
  Error.prepareStackTrace = prepareStackTrace
  return files.some((file) => background.includes(file)) ? undefined : wait
}

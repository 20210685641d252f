import { type Profiler, Session } from 'node:inspector/promises'

/** A function that was called. */
export interface CalledFunction {
  /** Path below the folder. */
  file: string
  name: string
  /** How often V8 entered it. */
  calls: number
  /** Where it begins in the file, in characters. */
  offset: number
}

/**
 * Runs something and returns the functions of `folder` that it called, by V8's precise coverage.
 *
 * A call is each time that V8 enters a function: a method, accessor, constructor, field initializer, arrow function or
 * callback, from any caller. An async function or generator is entered once more each time it goes on, so one with three
 * awaits counts four. What packages and Node do counts nothing.
 */
export async function functionsCalled(folder: URL, run: () => Promise<void>): Promise<CalledFunction[]> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  // Each take counts from the one before.
  await session.post('Profiler.takePreciseCoverage')
  await run()
  const { result } = await session.post('Profiler.takePreciseCoverage')
  await session.post('Profiler.stopPreciseCoverage')
  session.disconnect()
  return result
    .filter(({ url }) => url.startsWith(folder.href))
    .flatMap((script) => readScript(folder, script))
}

function readScript({ href }: URL, { url, functions }: Profiler.ScriptCoverage): CalledFunction[] {
  return functions.flatMap(({ functionName, ranges: [whole] }) =>
    whole === undefined || whole.count === 0
      ? []
      : [{ file: url.slice(href.length), name: functionName, calls: whole.count, offset: whole.startOffset }],
  )
}

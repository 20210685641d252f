import { type Profiler, Session } from 'node:inspector/promises'

/** A function that was called. */
export interface CalledFunction {
  /** Path, relative to the folder. */
  file: string
  name: string
  /** How often V8 entered it. */
  calls: number
  /** Position of its start in the file, in characters. */
  offset: number
}

/**
 * Runs a function and returns the functions of `folder` that it called, by V8's precise coverage. Each entry by V8
 * counts as a call: of a method, accessor, constructor, field initializer, arrow function or callback. An async
 * function or generator counts once more for each time it continues, so one with three awaits counts four. Calls in
 * packages and Node do not count.
 */
export async function functionsCalled(folder: URL, run: () => Promise<void>): Promise<CalledFunction[]> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
  // Each result counts from the previous one.
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

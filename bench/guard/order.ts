import { readFileSync } from 'node:fs'
import { Session } from 'node:inspector'
import type { CalledFunction } from './coverage.ts'

/**
 * Runs a function and returns `functions` in the order of their first call; a few that cannot be ordered come last.
 * Each function gets a breakpoint whose condition records the call and is false, so the program does not stop.
 */
export async function inOrderOfCall(
  folder: URL,
  functions: readonly CalledFunction[],
  run: () => Promise<void>,
): Promise<CalledFunction[]> {
  const entered = new Set<CalledFunction>()
  const note = (index: number): false => {
    const called = functions[index]
    if (called !== undefined) entered.add(called)
    return false
  }
  Object.assign(globalThis, { noteCall: note })
  const session = new Session()
  session.connect()
  session.post('Debugger.enable')
  for (const [index, { file, offset }] of functions.entries()) {
    const url = new URL(file, folder)
    const source = readFileSync(url, 'utf8')
    // With a breakpoint there, V8 calls `super()` twice.
    if (/^constructor\([^)]*\) {\s*super\(/.test(source.slice(offset))) continue
    const lines = source.slice(0, offset).split('\n')
    session.post('Debugger.setBreakpointByUrl', {
      url: url.href,
      lineNumber: lines.length - 1,
      columnNumber: lines.at(-1)?.length ?? 0,
      condition: `noteCall(${index})`,
    })
  }
  await run()
  session.disconnect()
  return [...entered, ...functions.filter((called) => !entered.has(called))]
}

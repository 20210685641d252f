/** Makes a failure happen and returns what was observed; rejects if an invariant breaks. */
type Run = () => Promise<string>

/** Failures by their names in `test/faults/faults.md`, which has what must happen, and why. */
export type Faults = Readonly<Record<string, Run>>

const slow = new WeakSet<Run>()

/** Sockets do not follow virtual time. What waits for them and for a timeout is of the suite `time`. */
export function inRealTime(run: Run): Run {
  slow.add(run)
  return run
}

export const isInRealTime = (run: Run): boolean => slow.has(run)

/** Rejects a fault if an invariant breaks that the table does not repeat. */
export function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`it must hold that ${what}`)
}

/** A failure of `test/faults/faults.md`, which has what must happen, and why. */
export interface Fault {
  /** Never changes. */
  readonly id: number
  readonly name: string
  /** Sockets do not follow virtual time. What waits for them and for a timeout is of the suite `time`. */
  readonly isInRealTime: boolean
  /** Makes it happen and returns what was observed; rejects if an invariant breaks. */
  run(): Promise<string>
}

export const fault = (id: number, name: string, run: Fault['run'], isInRealTime = false): Fault => ({
  ...{ id, name, run, isInRealTime },
})

/** A fault whose timeout and sockets are real. */
export const realTimeFault = (id: number, name: string, run: Fault['run']): Fault =>
  fault(id, name, run, true)

/** Rejects a fault if an invariant breaks that the table does not repeat. */
export function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`it must hold that ${what}`)
}

/** A failure of `test/faults/faults.md`, which has what must happen, and why. */
export interface Fault {
  /** Never changes. */
  readonly id: number
  readonly name: string
  /** Makes it happen and returns what was observed; rejects if an invariant breaks. */
  run(): Promise<string>
}

export const fault = (id: number, name: string, run: () => Promise<string>): Fault => ({ id, name, run })

/** Rejects a fault if an invariant breaks that the table does not repeat. */
export function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`it must hold that ${what}`)
}

/** One fault: what goes wrong, what must happen then, and a way to see what does. */
export interface Fault {
  /** Stays with the fault for good, so that others can refer to it. */
  readonly id: number
  readonly group: string
  readonly name: string
  /** What must happen, and why. */
  readonly expected: string
  /** What must be seen; what `run` tells has to be exactly this. */
  readonly observed: string
  /** Makes it go wrong, and tells what could be seen; rejects where something is broken that has no word in it. */
  run(): Promise<string>
}

export function group(name: string, faults: readonly Omit<Fault, 'group'>[]): Fault[] {
  return faults.map((fault) => ({ group: name, ...fault }))
}

/** Insists on what must hold in any case; `observed` need not repeat it. */
export function must(holds: boolean, what: string): void {
  if (!holds) throw new Error(`it must hold that ${what}`)
}

/** A change of the sources that takes out one mechanism of the pace. */
export interface Ablation {
  readonly name: string
  /** Path below `src`. */
  readonly file: string
  /** Once in the file. */
  readonly from: string
  readonly to: string
}

export const ablations: readonly Ablation[] = [
  {
    name: 'no gap',
    file: 'limits/adaptive-limit.ts',
    from: 'return allowance >= this.limit ? 0 : this.#windowMs / allowance / 2',
    to: 'return allowance * 0',
  },
  {
    name: 'no margin',
    file: 'limits/surface-pace.ts',
    from: 'marginMs = 1000',
    to: 'marginMs = 0',
  },
  {
    name: 'no allowance',
    file: 'limits/adaptive-limit.ts',
    from: 'return Math.min(this.limit, this.#allowance + 2 ** Math.floor(windows * stepsPerWindow) - 1)',
    to: 'return this.limit',
  },
  {
    name: 'no random wait',
    file: 'limits/adaptive-limit.ts',
    from: 'return Math.random() * 1000',
    to: 'return 0',
  },
  {
    name: 'refused requests count',
    file: 'limits/surface-pace.ts',
    from: 'if (unsent || (isRefused && this.#hasLowerLimit)) this.#log.delete(send)',
    to: 'if (unsent) this.#log.delete(send)',
  },
]

/** Takes the mechanism out of the source of its file. */
export function edited({ name, file, from, to }: Ablation, source: string): string {
  if (source.split(from).length !== 2) throw new Error(`${name}: not once in ${file}: ${from}`)
  return source.replace(from, () => to)
}

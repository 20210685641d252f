/** One strategy in one scenario, by name, over all seeds. */
export interface Job {
  readonly scenario: string
  readonly strategy: string
  readonly calls: number
  readonly seeds: number
}

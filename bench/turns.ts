/**
 * Yields all `entries` in each round, in a different order each time, so that no entry always has the same predecessor.
 */
export async function inTurns<Entry>(
  entries: readonly Entry[],
  rounds: number,
  turn: (entry: Entry, round: number) => Promise<void>,
): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    for (const entry of shuffled(entries)) await turn(entry, round)
  }
}

function shuffled<Entry>(entries: readonly Entry[]): Entry[] {
  return entries
    .map((entry) => ({ entry, key: Math.random() }))
    .sort((a, b) => a.key - b.key)
    .map(({ entry }) => entry)
}

/** Median and quartiles. */
export interface Spread {
  low: number
  median: number
  high: number
}

export function spread(values: readonly number[]): Spread {
  const sorted = values.toSorted((a, b) => a - b)
  const at = (part: number): number => {
    const place = part * (sorted.length - 1)
    const [below = NaN, above = NaN] = [sorted[Math.floor(place)], sorted[Math.ceil(place)]]
    return below + (above - below) * (place % 1)
  }
  return { low: at(0.25), median: at(0.5), high: at(0.75) }
}

/** Measurements by contestant, with a value for each round. */
export type Samples = Map<string, number[]>

export function note(samples: Samples, name: string, value: number): void {
  samples.set(name, [...(samples.get(name) ?? []), value])
}

/** The ratios of two contestants, round by round, so that each compares measurements close in time. */
export function ratio(samples: Samples, name: string, base: string): Spread {
  const [own = [], other = []] = [samples.get(name), samples.get(base)]
  return spread(own.slice(0, other.length).map((value, round) => value / (other[round] ?? NaN)))
}

/** The ratio of the totals of two contestants, for values that are too coarse in single rounds. */
export function totalRatio(samples: Samples, name: string, base: string): number {
  const total = (values: readonly number[] = []): number => values.reduce((sum, value) => sum + value, 0)
  return total(samples.get(name)) / total(samples.get(base))
}

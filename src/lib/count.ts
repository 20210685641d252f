/** An amount of things, in words: `1 call`, `2 calls`. */
export function count(amount: number | bigint, thing: string): string {
  return `${amount} ${thing}${Number(amount) === 1 ? '' : 's'}`
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** A time in milliseconds, rounded up: `27 min`, `1 h 27 min`, `3 days`. */
export function durationText(ms: number): string {
  if (ms < 60_000) return `${Math.ceil(ms / 1000)} s`
  // What is left of a fraction counts for nothing.
  const minutes = Math.ceil(ms / 60_000 - 0.01)
  if (minutes >= 2880) return count(Math.ceil(minutes / 1440), 'day')
  const parts = [
    [Math.floor(minutes / 60), 'h'],
    [minutes % 60, 'min'],
  ] as const
  return parts.flatMap(([amount, unit]) => (amount > 0 ? [`${amount} ${unit}`] : [])).join(' ')
}

/** A time in milliseconds, in the largest unit of which it has at least two: `90 seconds`, `12 minutes`. */
export function roughDuration(ms: number, round = Math.floor): string {
  const [unit, size] = units.find(([, size]) => ms >= 2 * size) ?? ['second', 1000]
  return count(round(ms / size), unit)
}

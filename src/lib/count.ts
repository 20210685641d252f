/** An amount of things, in words: `1 call`, `2 calls`. */
export function count(amount: number | bigint, thing: string): string {
  return `${amount} ${thing}${Number(amount) === 1 ? '' : 's'}`
}

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

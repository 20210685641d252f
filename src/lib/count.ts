/** An amount of things, in words: `1 call`, `2 calls`. */
export function count(amount: number | bigint, thing: string): string {
  return `${amount} ${thing}${Number(amount) === 1 ? '' : 's'}`
}

const units = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
] as const

/** A time in milliseconds, in the largest unit of which it has at least two: `90 seconds`, `12 minutes`. */
export function timeText(ms: number, round = Math.floor): string {
  const [unit, size] = units.find(([, size]) => ms >= 2 * size) ?? ['second', 1000]
  return count(round(ms / size), unit)
}

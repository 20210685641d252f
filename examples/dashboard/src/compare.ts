/** Which of two numbers is higher, and by how much, in words. */

/** The index of the higher number; null if the two are within five points of their sum. */
export function leaderOf([a = 0, b = 0]: number[]): 0 | 1 | null {
  if (100 * Math.abs(a - b) <= 5 * (a + b)) return null
  return a > b ? 0 : 1
}

/** How much more the higher number is: `65% more`, `3×`. */
export function leadOf(numbers: number[]): string {
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)]
  if (low === 0) return 'all'
  const percent = Math.round(100 * (high / low - 1))
  if (percent < 100) return `${percent}% more`
  return `${high / low < 10 ? Math.round((10 * high) / low) / 10 : Math.round(high / low)}×`
}

/** How a number has changed: `20%`, `×49` beyond ten times; null without anything to compare. */
export function changeOf(now: number, then: number): { sign: -1 | 0 | 1; text: string } | null {
  if (then === 0) return null
  const percent = Math.round(100 * (now / then - 1))
  const text = now >= 10 * then ? `×${Math.round(now / then)}` : `${Math.abs(percent)}%`
  return percent === 0 ? { sign: 0, text: 'no change' } : { sign: percent > 0 ? 1 : -1, text }
}

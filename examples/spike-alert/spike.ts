/**
 * Whether a day has far more posts than days before: ten or more, and four standard deviations above their mean. Counts vary
 * by the root of their mean at least, so a quiet week does not make five posts an alarm. Today is not over yet, so an alert can
 * come late, but not early.
 */
export function isSpike(today: number, before: number[]): boolean {
  if (before.length < 7 || today < 10) return false
  const mean = before.reduce((sum, count) => sum + count, 0) / before.length
  const variance = before.reduce((sum, count) => sum + (count - mean) ** 2, 0) / before.length
  return today > mean + 4 * Math.sqrt(Math.max(variance, mean))
}

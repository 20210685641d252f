import type { Issue } from '../contract/issues.ts'

/**
 * What is wrong, in one line.
 *
 * @param whole What to call the whole value, whose path is empty.
 */
export function summary(issues: readonly Issue[], whole = ''): string {
  const shown = issues.slice(0, 3).map(({ path, message }) => `${path || whole} ${message}`.trimStart())
  if (issues.length > shown.length) shown.push(`and ${issues.length - shown.length} more`)
  return shown.join('; ')
}

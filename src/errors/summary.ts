import { type Issue, maxIssues } from '../contract/issues.ts'

/**
 * What is wrong, in one line.
 *
 * @param whole What to call the whole value, whose path is empty.
 */
export function summary(issues: readonly Issue[], whole = ''): string {
  const shown = issues.slice(0, 3).map(({ path, message }) => `${path || whole} ${message}`.trimStart())
  const others = issues.length - shown.length
  if (others > 0) shown.push(issues.length > maxIssues ? 'and many more' : `and ${others} more`)
  return shown.join('; ')
}

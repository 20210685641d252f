import { type Issue, maxIssues } from '../api/issues.ts'

/**
 * The issues in one line.
 *
 * @param whole Name of the whole value, for an issue with an empty path.
 */
export function summary(issues: readonly Issue[], whole = ''): string {
  const shown = issues.slice(0, 3).map(({ path, message }) => `${path || whole} ${message}`.trimStart())
  const others = issues.length - shown.length
  if (others > 0) shown.push(issues.length > maxIssues ? 'and many more' : `and ${others} more`)
  return shown.join('; ')
}

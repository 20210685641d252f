import type { Issue } from '../api/issues.ts'

/** Reads made-up parameters from a body or a query, and collects issues. */
export interface Params {
  readonly issues: Issue[]
  text(name: string): string | undefined
  /** A required text; empty if it is missing, with an issue. */
  requiredText(name: string): string
  /** An integer from 1 to a maximum, which is also the default; from a query, it comes as digits. */
  count(name: string, max: number, fallback?: number): number
  choice<T extends string>(name: string, allowed: readonly T[]): T | undefined
}

/** Parameters of endpoints whose request the service does not document. Parameters that are not read are ignored. */
export function createParams(input: unknown): Params {
  const values = input as Record<string, unknown>
  const issues: Issue[] = []

  function text(name: string): string | undefined {
    const value = values[name]
    if (value === undefined || typeof value === 'string') return value
    issues.push({ path: name, message: 'must be a string' })
    return undefined
  }

  return {
    issues,
    text,
    requiredText(name) {
      const value = values[name] === undefined ? '' : text(name)
      if (value === '') issues.push({ path: name, message: 'is required' })
      return value ?? ''
    },
    count(name, max, fallback = max) {
      const value = values[name] ?? fallback
      const count = typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : value
      if (Number.isInteger(count) && (count as number) >= 1 && (count as number) <= max)
        return count as number
      issues.push({ path: name, message: `must be an integer from 1 to ${max}` })
      return fallback
    },
    choice(name, allowed) {
      const value = text(name)
      const chosen = allowed.find((option) => option === value)
      if (value !== undefined && chosen === undefined)
        issues.push({ path: name, message: `must be one of ${allowed.join(', ')}` })
      return chosen
    },
  }
}

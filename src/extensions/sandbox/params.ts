import type { Issue } from '../../api/issues.ts'
import { invalid } from './responses.ts'

/**
 * Reads the made-up parameters of an endpoint whose request the service does not document, from a body or a query, and
 * collects issues. Parameters that are not read are ignored.
 */
export class Params {
  readonly issues: Issue[] = []
  readonly #values: Record<string, unknown>

  constructor(input: unknown) {
    this.#values = input as Record<string, unknown>
  }

  text(name: string): string | undefined {
    const value = this.#values[name]
    if (value === undefined || typeof value === 'string') return value
    this.issues.push({ path: name, message: 'must be a string' })
    return undefined
  }

  /** A required text; empty if it is missing, with an issue. */
  requiredText(name: string): string {
    const value = this.#values[name] === undefined ? '' : this.text(name)
    if (value === '') this.issues.push({ path: name, message: 'is required' })
    return value ?? ''
  }

  choice<T extends string>(name: string, allowed: readonly T[]): T | undefined {
    const value = this.text(name)
    const chosen = allowed.find((option) => option === value)
    if (value !== undefined && chosen === undefined)
      this.issues.push({ path: name, message: `must be one of ${allowed.join(', ')}` })
    return chosen
  }

  /** The cursor and the size of a page: an integer from 1 to a maximum; from a query, it comes as digits. */
  page(name: string, max: number, fallback = max) {
    const value = this.#values[name] ?? fallback
    const isNumeric = typeof value === 'number' || (typeof value === 'string' && /^\d{1,9}$/.test(value))
    const count = isNumeric ? Number(value) : 0
    if (!Number.isInteger(count) || count < 1 || count > max)
      this.issues.push({ path: name, message: `must be an integer from 1 to ${max}` })
    return { cursor: this.text('cursor'), count, issues: this.issues }
  }

  /** @throws {SandboxError} if there are issues */
  check(): void {
    if (this.issues.length > 0) throw invalid(this.issues)
  }
}

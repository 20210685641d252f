import type { Problem } from '../../api/catalog/problem.ts'
import { ApiError, type ApiErrorDetails, nameClasses } from '../../errors/index.ts'

/**
 * The catalog answered with a problem, its error format. Fields that the service does not require may be absent.
 *
 * @example
 * if (error instanceof ProblemError) console.error(error.title, error.detail)
 */
export class ProblemError extends ApiError {
  /** The type of the problem, like a URL. */
  declare readonly type?: string
  /** The problem in a few words. */
  declare readonly title?: string
  /** Details of this occurrence. */
  declare readonly detail?: string

  /** @internal */
  constructor(details: ApiErrorDetails, problem: Problem) {
    super(details)
    Object.assign(this, problem)
  }
}

nameClasses({ ProblemError })

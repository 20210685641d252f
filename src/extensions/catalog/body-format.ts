import { parseCatalogJson, stringifyCatalogJson } from '../../api/catalog/json.ts'
import { readProblem } from '../../api/catalog/problem.ts'
import type { BodyFormat } from '../../extend.ts'
import { ProblemError } from './problem-error.ts'

/** How the catalog differs from the search: ids that exceed a number, and errors that are problems. */
export const catalogFormat: BodyFormat = {
  accept: 'application/json, application/problem+json',
  parse: parseCatalogJson,
  stringify: stringifyCatalogJson,
  readError: (body) => {
    const problem = readProblem(body)
    if (problem === null) return null
    const message = [problem.title, problem.detail].filter((text) => text !== undefined).join(': ')
    return { message, toError: (details) => new ProblemError(details, problem) }
  },
}

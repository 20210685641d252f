import { isRecord } from '../../lib/is-record.ts'

/** An error as the catalog describes it (service description, part 4.8). Which fields are required is not documented. */
export interface Problem {
  /** Like a URL. */
  type?: string
  title?: string
  /** Equal to the HTTP status. */
  status?: number
  detail?: string
}

/** Reads a problem; returns null if the body lacks its texts, and so comes from another server. */
export function readProblem(body: unknown): Problem | null {
  if (!isRecord(body)) return null
  const { type, title, status, detail } = body
  const problem = {
    ...(typeof type === 'string' && { type }),
    ...(typeof title === 'string' && { title }),
    ...(typeof detail === 'string' && { detail }),
  }
  if (Object.keys(problem).length === 0) return null
  return { ...problem, ...(typeof status === 'number' && { status }) }
}

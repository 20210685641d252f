import { isRecord } from '../../lib/json.ts'

/** An error as the catalog describes it (service description, part 4.8). Which fields are required is not documented. */
export interface Problem {
  /** Like a URL. */
  type?: string
  title?: string
  /** Equal to the HTTP status. */
  status?: number
  detail?: string
}

/** Reads the texts of a problem; returns null if the body lacks its texts, and so comes from another server. */
export function readProblem(body: unknown): Problem | null {
  if (!isRecord(body)) return null
  const { type, title, detail } = body
  const texts = Object.entries({ type, title, detail }).filter(([, text]) => typeof text === 'string')
  return texts.length === 0 ? null : Object.fromEntries(texts)
}

import { codeOfStatus } from '../../api/error-envelope.ts'
import { type Issue, firstIssues, issuesText } from '../../api/issues.ts'
import { parsed } from '../../lib/json.ts'

/** What an error tells besides its status. `retryAfter` is also sent as a header. */
interface ErrorDetails {
  readonly code?: string | undefined
  readonly message: string
  readonly issues?: readonly Issue[]
  readonly retryAfter?: number | undefined
}

/** Refuses a request: with a 401, a 404, a 429 … */
export class SandboxError extends Error {
  readonly status: number
  readonly details: ErrorDetails

  constructor(status: number, details: ErrorDetails) {
    super(details.message)
    this.status = status
    this.details = details
  }
}

/** A 400 that names each invalid field. */
export function invalid(issues: readonly Issue[]): SandboxError {
  const listed = firstIssues(issues)
  return new SandboxError(400, { message: `Invalid request: ${issuesText(listed, 'body')}`, issues: listed })
}

/**
 * Codes of errors that the service description has no code for. They and the bodies of these errors are made up; the real
 * service may respond differently.
 */
const madeUpCodes: Record<number, string> = {
  403: 'forbidden',
  404: 'not_found',
  500: 'internal_error',
  504: 'upstream_timeout',
}

/** An error in the service's envelope, with the documented code of its status if there is one. */
export function errorResponse(requestId: string, { status, details }: SandboxError) {
  const { code = madeUpCodes[status] ?? codeOfStatus(status), ...rest } = details
  const body = JSON.stringify({ requestId, error: { code, ...rest } })
  return { status, retryAfter: rest.retryAfter, body }
}

/** The body of a request; undefined if it is not JSON. Rejects with the signal's reason if the caller aborts. */
export async function readBody(
  request: Request,
  parse: (text: string) => unknown = JSON.parse,
): Promise<unknown> {
  const text = await request.text().finally(() => request.signal.throwIfAborted())
  return parsed(text, { parse })
}

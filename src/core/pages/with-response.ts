import type { Attempt } from '../../errors.ts'
import type { CallCredits } from '../credits/ledger.ts'
import type { Answer } from '../call/call.ts'

/** A result with its HTTP response, attempts and credits. */
export interface WithResponse<T> {
  data: T
  /** The HTTP response; its body can be read again. */
  response: Response
  requestId: string | undefined
  attempts: readonly Attempt[]
  credits: CallCredits
}

export function withResponse<T>(answer: Answer, data: T): WithResponse<T> {
  const { requestId, attempts, credits } = answer
  return { data, response: redactedResponse(answer), requestId, attempts, credits }
}

/** The response, redacted, with a body that can be read again. */
function redactedResponse({ response, text, redactor }: Answer): Response {
  const { status, statusText } = response
  const headers = new Headers()
  for (const [name, value] of response.headers) {
    // They describe the body on the wire, not the decoded text.
    if (name === 'content-encoding' || name === 'content-length') continue
    if (redactor.text(name) === name) headers.append(name, redactor.text(value))
  }
  return new Response(text, { status, statusText: redactor.text(statusText), headers })
}

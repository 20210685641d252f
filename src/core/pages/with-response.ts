import type { Attempt } from '../../errors.ts'
import type { CallCredits } from '../credits/purchase.ts'
import type { Answer } from '../call/transport.ts'

/** A result with what is known of the call behind it. */
export interface WithResponse<T> {
  data: T
  /** The HTTP response; its body can be read again. */
  response: Response
  requestId: string | undefined
  attempts: readonly Attempt[]
  credits: CallCredits
}

export function describe<T>(answer: Answer, data: T): WithResponse<T> {
  const { requestId, attempts, credits } = answer
  return { data, response: replay(answer), requestId, attempts, credits }
}

/** The response as it came, with a body that can be read again. */
function replay({ response, text }: Answer): Response {
  const { status, statusText } = response
  const headers = new Headers(response.headers)
  // They describe the body on the wire, not the decoded text.
  headers.delete('content-encoding')
  headers.delete('content-length')
  return new Response(text, { status, statusText, headers })
}

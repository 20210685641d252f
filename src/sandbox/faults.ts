import { type SandboxResponse, errorResponse, jsonHeaders } from './responses.ts'
import { checkFault } from './check-fault.ts'
import type { Fault } from './types.ts'

/** Injected faults that have not struck yet. */
export class Faults {
  readonly #operations: readonly string[]
  readonly #waiting: (Fault & { times: number; skip: number })[] = []

  constructor(operations: readonly string[]) {
    this.#operations = operations
  }

  add(fault: Fault): void {
    const { times = 1, skip = 0, ...rest } = checkFault(fault, this.#operations)
    this.#waiting.push({ ...rest, times, skip })
  }

  /** The fault that strikes this request, if any. */
  take(operation: string): Fault | undefined {
    for (const [index, fault] of this.#waiting.entries()) {
      if (fault.operation !== undefined && fault.operation !== operation) continue
      if (fault.skip > 0) {
        fault.skip -= 1
        continue
      }
      fault.times -= 1
      if (fault.times === 0) this.#waiting.splice(index, 1)
      return fault
    }
    return undefined
  }
}

/** The response that a fault sends in place of the service's, or null if the request is to be processed. */
export function injectedResponse(fault: Fault, requestId: string): SandboxResponse | null {
  const { status, code, body } = fault
  if (status === undefined) return null
  const { retryAfter = status === 429 && body === undefined ? 1 : undefined } = fault
  if (status >= 400)
    return errorResponse(requestId, status, { code, message: 'Injected by the sandbox', retryAfter })
  return { status, headers: jsonHeaders(), body: '' }
}

/** Applies the headers and body of a fault to a response. */
export function applyFault(
  response: SandboxResponse,
  { retryAfter, headers = {}, body }: Fault,
): SandboxResponse {
  const merged = new Headers(response.headers)
  if (retryAfter !== undefined) merged.set('retry-after', String(retryAfter))
  for (const [name, value] of Object.entries(headers)) merged.set(name, value)
  return {
    status: response.status,
    headers: merged,
    body: body === undefined ? response.body : typeof body === 'string' ? body : JSON.stringify(body),
  }
}

/** The error with which `fetch` reports a reset connection. */
export function connectionReset(message: string): TypeError {
  return new TypeError(message, {
    cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
  })
}

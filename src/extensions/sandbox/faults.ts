import { serviceErrorStatus } from '../../api/error-envelope.ts'
import { sandboxFault } from '../../api/schema/sandbox-fault.ts'
import type { Operation } from '../../api/operation.ts'
import { assertShape, fail } from './check-arguments.ts'
import { SandboxError, type SandboxResponse, errorResponse, jsonHeaders } from './responses.ts'
import type { Fault } from './types.ts'

/** The status of each documented code. */
const documented = new Map<string | undefined, number>(Object.entries(serviceErrorStatus))

/** Injected faults that have not struck yet. */
export class Faults {
  readonly #waiting: (Fault & { times: number; skip: number })[] = []

  add(fault: Fault): void {
    assertShape(sandboxFault, 'inject() fault', fault)
    const { operation, times = 1, skip = 0, ...effects } = fault
    if (Object.values(effects).every((effect) => effect === undefined))
      fail('inject() fault', 'a failure such as { status: 503 }', fault)
    const { code, status = documented.get(code) } = fault
    if (code !== undefined && (status ?? 0) < 400)
      fail('inject() field status', `400 to 599 where code is ${code}`, status)
    if (times > 0) this.#waiting.push({ ...effects, operation, status, times, skip })
  }

  /** Whether one of them strikes any request. */
  get isAnyAwaited(): boolean {
    return this.#waiting.some(({ operation }) => operation === undefined)
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
export function injectedResponse(
  fault: Fault,
  requestId: string,
  { errors = [] }: Operation,
): SandboxResponse | null {
  const { status, body } = fault
  if (status === undefined) return null
  // The code is documented for the operations that document the status; that of others is made up.
  const { code = status === 503 && !errors.includes(status) ? 'service_unavailable' : undefined } = fault
  if (status < 400) return { status, headers: jsonHeaders(), body: '', data: body }
  const { retryAfter = status === 429 && body === undefined ? 1 : undefined } = fault
  const details = { code, message: 'Injected by the sandbox', retryAfter }
  return errorResponse(requestId, new SandboxError(status, details))
}

/** Applies the headers, body and cut of a fault to a response. */
export function applyFault(
  response: SandboxResponse,
  { retryAfter, headers = {}, body, cut }: Fault,
): SandboxResponse {
  const merged = new Headers(response.headers)
  if (retryAfter !== undefined) merged.set('retry-after', String(retryAfter))
  for (const [name, value] of Object.entries(headers)) merged.set(name, value)
  const text = typeof body === 'object' ? JSON.stringify(body) : body
  return { ...response, headers: merged, body: text ?? response.body, cut }
}

/** The error with which `fetch` reports a reset connection. */
export function connectionReset(message: string): TypeError {
  const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  return new TypeError(message, { cause })
}

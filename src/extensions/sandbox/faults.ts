import { serviceErrorStatus } from '../../api/error-envelope.ts'
import type { Operation } from '../../api/operation.ts'
import type { OperationId } from '../../api/operations.ts'
import { assertShape, faultShape } from './shapes.ts'
import { SandboxError, type SandboxResponse, errorResponse, jsonHeaders } from './responses.ts'

/**
 * An injected failure or answer. It strikes the next request that has passed authentication and limits, before its path and its body
 * are checked.
 */
export interface Fault {
  /** Which call fails, such as `microblog.search`. Default: any. */
  operation?: OperationId | undefined
  /** How many requests fail; may be `Infinity`. Default 1. */
  times?: number | undefined
  /** How many requests succeed first. Default 0. */
  skip?: number | undefined
  /** Milliseconds added before the answer. */
  delay?: number | undefined
  /** The status to answer with, 200 to 599. A 2xx is charged. */
  status?: number | undefined
  /** `error.code` of the answer; a documented code also gives the status. Default the documented code of the status. */
  code?: string | undefined
  /**
   * Seconds for the `Retry-After` header and, in the default error body, `error.retryAfter`. Default 1 for a 429 without a
   * `body`, since the service always announces one.
   */
  retryAfter?: number | undefined
  /** Headers to add or replace. */
  headers?: Record<string, string> | undefined
  /** Replaces the body; an object is sent as JSON. */
  body?: string | object | undefined
  /** Resets the connection, before the request is processed, or after it was charged. */
  reset?: 'before' | 'after' | undefined
  /** Sends half of the body, and then nothing more (`stall`), its end (`truncate`), or a connection reset (`reset`). */
  cut?: 'stall' | 'truncate' | 'reset' | undefined
}

/** The status of each documented code. */
const documented = new Map<string | undefined, number>(Object.entries(serviceErrorStatus))

/** Injected faults that have not struck yet. */
export class Faults {
  readonly #waiting: (Fault & { times: number; skip: number })[] = []

  add(fault: Fault): void {
    assertShape(faultShape, 'inject() fault', fault)
    const { operation, times = 1, skip = 0, ...effects } = fault
    if (Object.values(effects).every((effect) => effect === undefined))
      throw new TypeError('inject() fault must be a failure such as { status: 503 }')
    const { code, status = documented.get(code) } = fault
    if (code !== undefined && (status ?? 0) < 400)
      throw new TypeError(`inject() fault: status must be 400 to 599 where code is ${code}, got ${status}`)
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

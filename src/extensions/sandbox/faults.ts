import { SandboxError } from './answers.ts'
import { type OperationId, operationOf } from '../../api/operations.ts'
import { assertOptions, requireOption } from '../../errors/check-options.ts'

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
  /** The status to answer with, 200 to 599. A 2xx is charged. Default 200 with a `body`. */
  status?: number | undefined
  /**
   * Seconds for the `Retry-After` header and, in the default error body, `error.retryAfter`. Default 1 for a 429 without a
   * `body`, since the service always announces one.
   */
  retryAfter?: number | undefined
  /** Headers to add or replace. */
  headers?: Record<string, string> | undefined
  /** The body to answer with; an object is sent as JSON. */
  body?: string | object | undefined
  /** Resets the connection, before the request is processed, or after it was charged. */
  reset?: 'before' | 'after' | undefined
  /** Sends half of the body, and then nothing more (`stall`), its end (`truncate`), or a connection reset (`reset`). */
  cut?: 'stall' | 'truncate' | 'reset' | undefined
}

/** Injected faults that have not struck yet. */
export class Faults {
  readonly #waiting: (Fault & { times: number; skip: number })[] = []

  add(fault: Fault): void {
    const known = {
      ...{ operation: true, times: true, skip: true, delay: true, status: true, retryAfter: true },
      ...{ headers: true, body: true, reset: true, cut: true },
    }
    assertOptions(fault, known, 'fault')
    const { operation, status = 200, times = 1, skip = 0 } = fault
    const isKnown = operation === undefined || operationOf(operation) !== undefined
    requireOption(operation, isKnown, 'fault.operation must be the id of an operation')
    const isStatus = Number.isInteger(status) && status >= 200 && status <= 599
    requireOption(status, isStatus, 'fault.status must be from 200 to 599')
    if (times > 0) this.#waiting.push({ ...fault, times, skip })
  }

  /** The fault that strikes a request; empty if there is none. @param operation Null if no operation has its path. */
  take(operation: string | null): Fault {
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
    return {}
  }
}

/** What a fault answers in place of the service, or null if the request is processed. @throws {SandboxError} for an error. */
export function injectedBy({ status, body, retryAfter }: Fault, documented: readonly number[] = []) {
  if (status === undefined && body === undefined) return null
  if (status === undefined || status < 400) return { status: status ?? 200, data: body }
  throw new SandboxError(status, {
    // The code is documented for the operations that document the status; that of others is made up.
    code: status === 503 && !documented.includes(status) ? 'service_unavailable' : undefined,
    message: 'Injected by the sandbox',
    retryAfter: retryAfter ?? (status === 429 && body === undefined ? 1 : undefined),
  })
}

/** The headers and the body of a response, with those of a fault. @param retryAfter In seconds. */
export function altered(body: string, retryAfter: number | undefined, fault: Fault) {
  const headers = new Headers({ 'content-type': 'application/json' })
  const wait = fault.retryAfter ?? retryAfter
  if (wait !== undefined) headers.set('retry-after', String(wait))
  for (const [name, value] of Object.entries(fault.headers ?? {})) headers.set(name, value)
  const text = typeof fault.body === 'object' ? JSON.stringify(fault.body) : fault.body
  return { headers, body: text ?? body }
}

/** The first half of a body, and what a fault sends then. Calls `release` once that has ended. */
export function cutShort(
  body: string,
  cut: NonNullable<Fault['cut']>,
  { signal }: Request,
  release: () => void,
): ReadableStream {
  const bytes = new TextEncoder().encode(body)
  return new ReadableStream<typeof bytes>(
    {
      start(controller) {
        controller.enqueue(bytes.subarray(0, bytes.length / 2))
        signal.addEventListener('abort', () => {
          release()
          // Has no effect on a stream that has ended.
          controller.error(signal.reason)
        })
      },
      pull(controller) {
        if (cut === 'stall') return new Promise(() => {})
        release()
        if (cut === 'reset') controller.error(connectionReset('terminated'))
        else controller.close()
        return undefined
      },
      cancel: release,
    },
    // By default, a stream goes on before the first part is read.
    { highWaterMark: 0 },
  )
}

/** The error with which `fetch` reports a reset connection. */
export function connectionReset(message: string): TypeError {
  const cause = Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' })
  return new TypeError(message, { cause })
}

import { type Answer, failure, jsonHeaders } from './answers.ts'
import { checkFault } from './check-fault.ts'
import type { Fault } from './types.ts'

/** Faults that wait for their requests. */
export interface Faults {
  add(fault: Fault): void
  /** The fault that strikes this request, if any. */
  take(operation: string): Fault | undefined
}

export function createFaults(operations: readonly string[]): Faults {
  const waiting: (Fault & { times: number; skip: number })[] = []
  return {
    add(fault) {
      const checked = checkFault(fault, operations)
      waiting.push({ ...checked, times: checked.times ?? 1, skip: checked.skip ?? 0 })
    },
    take(operation) {
      for (const [index, fault] of waiting.entries()) {
        if (fault.operation !== undefined && fault.operation !== operation) continue
        if (fault.skip > 0) {
          fault.skip -= 1
          continue
        }
        fault.times -= 1
        if (fault.times === 0) waiting.splice(index, 1)
        return fault
      }
      return undefined
    },
  }
}

/** What a fault answers in place of the service, or null where the request is to be processed. */
export function answerInstead(fault: Fault, requestId: string): Answer | null {
  const { status, code, retryAfter } = fault
  if (status === undefined) return null
  if (status >= 400)
    return failure(requestId, status, { code, retryAfter, message: 'Injected by the sandbox' })
  return { status, headers: jsonHeaders(), body: '' }
}

/** Changes an answer's headers and body as a fault asks. */
export function distort(answer: Answer, { retryAfter, headers = {}, body }: Fault): Answer {
  const merged = new Headers(answer.headers)
  if (retryAfter !== undefined) merged.set('retry-after', String(retryAfter))
  for (const [name, value] of Object.entries(headers)) merged.set(name, value)
  return {
    status: answer.status,
    headers: merged,
    body: body === undefined ? answer.body : typeof body === 'string' ? body : JSON.stringify(body),
  }
}

/** What a reset connection looks like to somebody who called `fetch`. */
export function connectionReset(message: string): TypeError {
  return new TypeError(message, {
    cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }),
  })
}

import { type ServiceErrorCode, serviceErrorStatus } from '../api/error-envelope.ts'
import { bodilessStatuses } from './responses.ts'
import { fail, integer, longestWaitMs, number, assertRecord } from './check-arguments.ts'
import type { Fault } from './types.ts'

type Check = (field: string, value: unknown) => unknown

const oneOf =
  (...allowed: readonly unknown[]): Check =>
  (field, value) =>
    allowed.includes(value) || fail(field, `one of ${allowed.join(', ')}`, value)

const checks: Record<Exclude<keyof Fault, 'operation'>, Check> = {
  times: (field, value) => value === Infinity || integer(field, value, 1),
  skip: (field, value) => integer(field, value, 0),
  delay: (field, value) => number(field, value, 0, longestWaitMs),
  status: (field, value) => integer(field, value, 200, 599),
  code: (field, value) => typeof value === 'string' || fail(field, 'a string', value),
  retryAfter: (field, value) => typeof value === 'number' || fail(field, 'a number', value),
  headers: (field, value) => {
    try {
      new Headers(value as Record<string, string>)
    } catch (error) {
      throw new TypeError(`${field} must hold valid header names and values: ${String(error)}`)
    }
  },
  body: (field, value) =>
    typeof value === 'string' ||
    (typeof value === 'object' && value !== null) ||
    fail(field, 'a string or an object', value),
  reset: oneOf('before', 'after'),
  cut: oneOf('stall', 'truncate', 'reset'),
}

/** Refuses a fault that cannot work, and fills in the status of a documented code. */
export function checkFault(fault: Fault, operations: readonly string[]): Fault {
  assertRecord('inject() fault', fault, ['operation', ...Object.keys(checks)])
  for (const [name, check] of Object.entries({ operation: oneOf(...operations), ...checks })) {
    const value = fault[name as keyof Fault]
    if (value !== undefined) check(`inject() field ${name}`, value)
  }

  const { code, body, cut } = fault
  const status = fault.status ?? statusOf(code)
  if (code !== undefined && (status === undefined || status < 400)) {
    fail('inject() field status', `400 to 599 where code is ${code}`, status)
  }
  if (
    status !== undefined &&
    bodilessStatuses.includes(status) &&
    (body !== undefined || cut !== undefined)
  ) {
    const field = body === undefined ? 'cut' : 'body'
    throw new TypeError(`inject() field ${field} needs a status that has a body, got ${status}`)
  }
  return status === undefined ? { ...fault } : { ...fault, status }
}

function statusOf(code = ''): number | undefined {
  return Object.hasOwn(serviceErrorStatus, code) ? serviceErrorStatus[code as ServiceErrorCode] : undefined
}

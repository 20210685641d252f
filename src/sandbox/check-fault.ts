import { type ServiceErrorCode, serviceErrorStatus } from '../api/error-envelope.ts'
import { bodilessStatuses } from './responses.ts'
import { fail, integer, longestWaitMs, number, oneOf, assertRecord } from './check-arguments.ts'
import type { Fault } from './types.ts'

type Check = (field: string, value: unknown) => void

const count =
  (min: number): Check =>
  (field, value) => {
    integer(field, value, min, Number.MAX_SAFE_INTEGER)
  }

const choice =
  (...allowed: readonly string[]): Check =>
  (field, value) => {
    oneOf(field, value, allowed)
  }

const checks: Record<Exclude<keyof Fault, 'operation'>, Check> = {
  times: (field, value) => {
    if (value !== Infinity) count(1)(field, value)
  },
  skip: count(0),
  delay: (field, value) => {
    number(field, value, 0, longestWaitMs)
  },
  status: (field, value) => {
    integer(field, value, 200, 599)
  },
  code: (field, value) => {
    if (typeof value !== 'string') fail(field, 'a string', value)
  },
  retryAfter: (field, value) => {
    if (typeof value !== 'number') fail(field, 'a number', value)
  },
  headers: (field, value) => {
    try {
      new Headers(value as Record<string, string>)
    } catch (error) {
      throw new TypeError(`${field} must hold valid header names and values: ${String(error)}`)
    }
  },
  body: (field, value) => {
    if (typeof value !== 'string' && (typeof value !== 'object' || value === null)) {
      fail(field, 'a string or an object', value)
    }
  },
  reset: choice('before', 'after'),
  cut: choice('stall', 'truncate', 'reset'),
}

/** Refuses a fault that cannot work, and fills in the status of a documented code. */
export function checkFault(fault: Fault, operations: readonly string[]): Fault {
  assertRecord('inject() fault', fault, ['operation', ...Object.keys(checks)])
  for (const [name, check] of Object.entries({ operation: choice(...operations), ...checks })) {
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

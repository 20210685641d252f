import * as z from 'zod/mini'
import { got } from '../issues.ts'
import { noted } from './build.ts'
import { looseObject } from './objects.ts'

/** Any object; the service checks it. */
export const anyObject = noted(
  z.custom<Record<string, unknown>>(isPlainObject, {
    error: ({ input }) => `must be an object, got ${got(input)}`,
  }),
  { type: 'object' },
)

/** Schema of `OpenBody`: the only documented field of every response. */
export const openBody = looseObject({ requestId: z.string() })

/** Whether a value is a plain object whose JSON text contains all its properties. */
function isPlainObject(value: unknown): boolean {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  const isBase = prototype === null || Object.getPrototypeOf(prototype) === null
  return isBase && Object.getOwnPropertySymbols(value).length === 0
}

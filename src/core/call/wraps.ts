import type { Send, Wrap } from './call.ts'

/** The method by which an object of this package wraps calls: a cache, or an observer that traces. */
export const wrap: unique symbol = Symbol.for('social-search-sdk wrap')

interface Wrapping {
  readonly [wrap]: Wrap
}

/** Answers calls by way of the objects that wrap them, the first one outermost, and in the end by `send`. */
export function wrapped(objects: readonly object[], send: Send): Send {
  return objects.filter(isWrapping).reduceRight((send, object) => object[wrap](send), send)
}

function isWrapping(object: object): object is Wrapping {
  return wrap in object
}

import type { Observer } from '../options/types.ts'
import type { Wrap } from './call.ts'

const wraps = new WeakMap<Observer, Wrap>()

/** Lets an observer run code around each call that it sees, until the call has ended. */
export function wrapCalls(observer: Observer, wrap: Wrap): Observer {
  wraps.set(observer, wrap)
  return observer
}

export function wrapsOf(observers: readonly Observer[]): Wrap[] {
  return observers.flatMap((observer) => wraps.get(observer) ?? [])
}

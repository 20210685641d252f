import type * as asyncHooks from 'node:async_hooks'
import type * as diagnosticsChannel from 'node:diagnostics_channel'
import type * as fs from 'node:fs'
import type * as sqlite from 'node:sqlite'

/**
 * Whether this is a page or a worker of a page, where the visitor can read all memory. Only browsers have a user agent
 * that begins with `Mozilla/`.
 */
export function inBrowser(): boolean {
  const { navigator } = globalThis as { navigator?: { userAgent?: unknown } }
  const inPage = 'window' in globalThis && 'document' in globalThis
  return inPage || String(navigator?.userAgent).startsWith('Mozilla/')
}

export type AsyncLocalStorage<T> = asyncHooks.AsyncLocalStorage<T>

interface Builtins {
  readonly 'node:async_hooks': typeof asyncHooks
  readonly 'node:diagnostics_channel': typeof diagnosticsChannel
  readonly 'node:fs': typeof fs
  readonly 'node:sqlite': typeof sqlite
}

/**
 * A module of Node, without an import, which bundlers for browsers would refuse. Undefined where the runtime lacks it, such as SQLite
 * before Node 22.13.
 */
export function builtin<Name extends keyof Builtins>(name: Name): Builtins[Name] | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } }
  return process?.getBuiltinModule?.(name) as Builtins[Name] | undefined
}

/** Whether timers and promises belong to the incoming request that made them, as in Cloudflare's workers. */
export function isTiedToRequests(): boolean {
  const { navigator } = globalThis as { navigator?: { userAgent?: unknown } }
  return navigator?.userAgent === 'Cloudflare-Workers'
}

/**
 * Something that belongs to the process, not to a copy of this package: bundlers may put several copies in one process. It is made when it
 * is first needed.
 *
 * @param name Ends with a version, which changes with the shape of what is kept.
 */
export function ofProcess<T extends object>(name: string, make: () => T): T {
  const key = Symbol.for(`social-search-sdk ${name}`)
  const kept = (globalThis as Record<symbol, unknown>)[key]
  if (kept !== undefined) return kept as T
  const made = make()
  Object.defineProperty(globalThis, key, { value: made, configurable: true })
  return made
}

const self = Symbol('self')

/** Lets {@link unproxied} find the object itself. For a constructor. */
export function keepSelf(object: object): void {
  // A function, since a reactive Proxy would wrap an object.
  Object.defineProperty(object, self, { value: () => object, configurable: true })
}

/** The object that has the private fields, if it is reached through a Proxy, such as one of Vue's `ref()`. */
export function unproxied<T extends object>(object: T): T {
  return (object as { [self]?: () => T })[self]?.() ?? object
}

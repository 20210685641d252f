import type * as diagnosticsChannel from 'node:diagnostics_channel'
import type * as fs from 'node:fs'
import type * as sqlite from 'node:sqlite'

interface Builtins {
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

/** A module of Node that other runtimes may lack, without an import, which would fail there. */
export function builtin(name: string): unknown {
  const { process } = globalThis as { process?: { getBuiltinModule?(name: string): unknown } }
  return process?.getBuiltinModule?.(name)
}

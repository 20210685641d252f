import { inspect } from 'node:util'

/** Options under which nothing is left out. */
const deep = {
  ...{ depth: Infinity, showHidden: true, getters: true },
  ...{ maxStringLength: Infinity, maxArrayLength: Infinity },
} as const

/** A value as it prints itself, and with all its fields. */
export const show = (value: unknown): string =>
  inspect(value, deep) + inspect(value, { ...deep, customInspect: false })

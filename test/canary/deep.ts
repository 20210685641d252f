/** Options of `util.inspect` under which nothing is left out. */
export const deep = {
  depth: Infinity,
  showHidden: true,
  getters: true,
  maxStringLength: Infinity,
  maxArrayLength: Infinity,
} as const

type Inspect = (value: unknown, options: object) => string

/**
 * Sets what `console.log` of Node, Deno and Bun shows of an object. A method with a computed name would do the same, but
 * bundlers would keep its whole class.
 */
export function setInspect(
  target: object,
  value: (depth: number, options: object, inspect: Inspect) => string,
): void {
  Object.defineProperty(target, Symbol.for('nodejs.util.inspect.custom'), { value })
}

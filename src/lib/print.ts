/** The name by which Node, Deno and Bun ask an object how to print it. Nothing else reads it. */
export const printed: unique symbol = Symbol.for('nodejs.util.inspect.custom')

/** What they pass: how deep they look from here, their options, and what prints a value. */
type Printing = [
  depth: number,
  options: { depth?: number },
  inspect: (value: unknown, options: object) => string,
]

/** Not enumerable, so that nothing copies or compares it. Not every object can be changed. */
function printBy(object: object, value: (...printing: Printing) => unknown): void {
  Reflect.defineProperty(object, printed, { value, configurable: true })
}

/** Prints an object as these fields. For a constructor: in its prototype, it would keep bundlers from leaving the class out. */
export function printAs(object: object, name: string, fields: () => object): void {
  printBy(object, (_, options, inspect) => `${name} ${inspect(fields(), options)}`)
}

/**
 * Prints a list within an object as its length and the beginning of its first item. Alone, it is printed as any other. It is for the
 * lists of pages, not for pages: React warns of an object with a symbol that goes from a server to a browser.
 */
export function printShort(list: readonly unknown[]): void {
  printBy(list, (depth, options, inspect) => {
    if (list.length < 2 || !(depth < Number(options.depth))) return list
    const first = inspect(list[0], { depth: 0, breakLength: Infinity })
    return `${list.length} items, the first: ${first.slice(0, 48)}…`
  })
}

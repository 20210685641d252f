import { randomId } from '../../lib/hash.ts'
import { parseJson } from '../../lib/json.ts'

/** Most digits of an integer of 64 bits, with its sign. */
const maxLength = 20

/**
 * Parses JSON of the catalog. Fields that hold ids become bigints, since a number cannot hold 64 bits. All else is
 * parsed as by `JSON.parse`.
 *
 * @throws {SyntaxError}
 */
export function parseCatalogJson(text: string): unknown {
  const mark = randomId(12)
  const root: Record<string, unknown> = { value: parseJson(text, mark) }
  const open: Record<string, unknown>[] = [root]
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    for (const [name, child] of Object.entries(node)) {
      if (typeof child === 'object' && child !== null) open.push(child as Record<string, unknown>)
      const value = numberOf(name, child, mark)
      // Plain assignment would turn a property called `__proto__` into the prototype.
      if (value !== child)
        Object.defineProperty(node, name, { value, enumerable: true, configurable: true, writable: true })
    }
  }
  return root['value']
}

function numberOf(name: string, value: unknown, mark: string): unknown {
  if (Number.isSafeInteger(value)) return name === 'id' ? BigInt(value as number) : value
  if (typeof value !== 'string' || !value.startsWith(mark)) return value
  const digits = value.slice(mark.length)
  return /(^id|Id)$/.test(name) && digits.length <= maxLength ? BigInt(digits) : Number(digits)
}

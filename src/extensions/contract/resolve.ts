import { isRecord } from '../../lib/is-record.ts'

/** Longest chain of references that is followed. */
const maxChain = 32

/** The value of an own property, so that a name such as `constructor` finds nothing inherited. */
export function own(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** The target of a local reference (`#/components/…`); undefined if it is missing or outside of the document. */
export function lookUp(document: unknown, ref: unknown): unknown {
  if (typeof ref !== 'string' || !/^#(\/|$)/.test(ref)) return undefined
  try {
    return ref
      .split('/')
      .slice(1)
      .map((part) => decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~'))
      .reduce(
        (value, name) => (Array.isArray(value) ? (value as unknown[])[Number(name)] : own(value, name)),
        document,
      )
  } catch {
    return undefined
  }
}

/** Follows the references of a parameter, body or response. Undefined if they end nowhere or in a circle. */
export function resolve(document: unknown, value: unknown): unknown {
  for (let i = 0; i < maxChain; i++) {
    const ref = own(value, '$ref')
    if (ref === undefined) return value
    value = lookUp(document, ref)
  }
  return undefined
}

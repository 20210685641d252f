import { isRecord } from '../lib/json.ts'
import { maxMessageLength, printable } from './issues.ts'
import type { Operation } from './operation.ts'
import type { OpenBody, OpenRecord } from './endpoints/undocumented.ts'

/** How to find items and next page of a list whose shape is not documented. */
export interface PagingOverride<Name extends string = string> {
  /** Name of the array in the body, or a function that finds the items. */
  items?: Name | ((body: OpenBody) => readonly unknown[]) | undefined
  /** Params of the next page, or null after the last one. */
  next?: ((body: OpenBody, params: OpenRecord) => OpenRecord | null) | undefined
}

/** The items of a page; null if the body has no list, or if the user's function throws. */
export function itemsOf(
  operation: Operation,
  body: unknown,
  { items }: PagingOverride = {},
): readonly unknown[] | null {
  const property = typeof items === 'string' ? items : (operation.list ?? '')
  try {
    const found =
      typeof items === 'function' ? items(body as OpenBody) : (body as OpenRecord | null)?.[property]
    return Array.isArray(found) ? found : null
  } catch {
    return null
  }
}

/** Names the expected list and the fields found. */
export function missingItems(operation: Operation, body: unknown, { items }: PagingOverride = {}): string {
  const expected =
    typeof items === 'function' ? 'what paging.items returns' : `an array under ${items ?? operation.list}`
  return `expected ${expected}, found ${fieldNames(body, '')}; pass paging.items`
}

export function fieldNames(value: unknown, prefix: string): string {
  const names = isRecord(value) ? Object.keys(value).slice(0, 10) : []
  const found = names.map((name) => prefix + name).join(', ')
  return printable(found, maxMessageLength) || 'nothing'
}

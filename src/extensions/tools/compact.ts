import { valueAt } from '../../lib/value-at.ts'

/** An item, or an answer without items, as a result shows it. */
export type Compact = Record<string, unknown>

/** The names under which fields are shown, by their paths. */
export type Fields = Readonly<Record<string, string>>

const maxDepth = 6
const maxEntries = 50

/**
 * The given fields of a value, or all of its fields. Texts are cut, empty values left out. All of one
 * value come to at most ten times `maxText`.
 */
export function compact(value: unknown, fields: Fields | undefined, maxText: number): Compact {
  const chosen =
    fields === undefined
      ? value
      : Object.fromEntries(
          Object.entries(fields).map(([path, name]) => [name, valueAt(value, path.split('.'))]),
        )
  let left = 2000 + 10 * maxText
  const shown = bound(chosen, 0)
  return typeof shown === 'object' && !Array.isArray(shown) ? (shown as Compact) : { value: shown }

  function bound(value: unknown, depth: number): unknown {
    if (left <= 0 || value === null || value === undefined || value === '') return undefined
    left -= 8
    if (typeof value === 'string') {
      const text = cutText(value, Math.min(maxText, left))
      left -= text.length
      return text
    }
    if (typeof value !== 'object') return value
    if (depth === maxDepth) return undefined
    if (Array.isArray(value)) {
      const items = value.slice(0, maxEntries).map((item) => bound(item, depth + 1))
      return items.length === 0 ? undefined : items.filter((item) => item !== undefined)
    }
    const entries: [string, unknown][] = []
    for (const [name, part] of Object.entries(value).slice(0, maxEntries)) {
      const bounded = bound(part, depth + 1)
      left -= name.length
      if (bounded !== undefined) entries.push([cutText(name, 100), bounded])
    }
    return Object.fromEntries(entries)
  }
}

/**
 * Characters that people do not see and models read: controls but line ends and tabs, invisible characters but those that
 * join letters and choose emoji, and marks that reorder text.
 */
const hidden =
  /(?![\n\t])\p{Cc}|(?![\u200c\u200d\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}|[\u2028\u2029\ufff9-\ufffb]|\p{Bidi_Control}/gu

/** Characters of a text that are searched for visible ones. */
const maxRead = 100_000

/** A text without hidden characters, cut to so many characters. */
export function cutText(text: string, most: number): string {
  const clean = text.slice(0, maxRead + most).replaceAll(hidden, '')
  return clean.length <= most ? clean : `${clean.slice(0, Math.max(0, most - 1)).toWellFormed()}…`
}

import { valueAt } from '../export/fields.ts'

/** An item, or an answer without items, as a result shows it. */
export type Compact = Record<string, unknown>

const maxDepth = 6
const maxEntries = 50

/**
 * The given fields of a value by their paths, or all of its fields. Texts are cut, empty values left out. All of one
 * value come to at most ten times `maxText`.
 */
export function compact(value: unknown, paths: readonly string[] | undefined, maxText: number): Compact {
  const chosen =
    paths === undefined
      ? value
      : Object.fromEntries(paths.map((path) => [path, valueAt(value, path.split('.'))]))
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
      if (bounded !== undefined) entries.push([name.slice(0, 100), bounded])
    }
    return Object.fromEntries(entries)
  }
}

/** Controls, marks that reorder text, and tags: characters that people do not see and models read. */
const hidden = /[^\P{Cc}\n\t]|[\u200b\u2060\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/gu

/** A text without hidden characters, cut to so many characters. */
export function cutText(text: string, most: number): string {
  // Twice as much is enough to find so many visible characters, except where most are hidden.
  const clean = text.slice(0, 2 * Math.max(0, most) + 10).replaceAll(hidden, '')
  return clean.length <= most ? clean : `${clean.slice(0, Math.max(0, most - 1)).toWellFormed()}…`
}

import { valueAt } from '../../lib/json.ts'

/** An item, or an answer without items, as a result shows it. */
export type Compact = Record<string, unknown>

/** The names under which fields are shown, by their paths. */
export type Fields = Readonly<Record<string, string>>

const maxDepth = 6
const maxEntries = 50
/** Fields that `left_out` names. */
const maxNamed = 20

/** Bounds of what a result shows, in characters. */
export interface Room {
  readonly maxText: number
  readonly maxResult: number
}

/**
 * The given fields of a value, or all of its fields. Texts are cut, empty values left out. One value takes at most ten times
 * `maxText`, and half a result; `left_out` names the fields that do not fit.
 */
export function compact(value: unknown, fields: Fields | undefined, { maxText, maxResult }: Room): Compact {
  const chosen =
    fields === undefined
      ? value
      : Object.fromEntries(
          Object.entries(fields).map(([path, name]) => [name, valueAt(value, path.split('.'))]),
        )
  let left = Math.min(2000 + 10 * maxText, maxResult / 2)
  const leftOut = new Set<string>()
  const shown = bound(chosen, [])
  const result = typeof shown === 'object' && !Array.isArray(shown) ? (shown as Compact) : { value: shown }
  return leftOut.size === 0 ? result : { ...result, left_out: [...leftOut].slice(0, maxNamed) }

  function bound(value: unknown, path: readonly string[]): unknown {
    if (value === null || value === undefined || value === '') return undefined
    if (left <= 0 || (typeof value === 'object' && path.length === maxDepth)) {
      leaveOut(path)
      return undefined
    }
    left -= 8
    if (typeof value === 'string') {
      const text = cutText(value, Math.min(maxText, left))
      left -= text.length
      return text
    }
    if (typeof value !== 'object') return value
    const entries = Array.isArray(value)
      ? value.slice(0, maxEntries + 1).map((item: unknown): [string, unknown] => ['', item])
      : Object.entries(value)
    if (entries.length > maxEntries) leaveOut(path)
    const parts = entries.slice(0, maxEntries).flatMap(([key, part]): [string, unknown][] => {
      const name = cutText(key, 100)
      const bounded = bound(part, [...path, name])
      left -= name.length
      return bounded === undefined ? [] : [[name, bounded]]
    })
    if (!Array.isArray(value)) return Object.fromEntries(parts)
    return parts.length === 0 ? undefined : parts.map(([, part]) => part)
  }

  function leaveOut([name]: readonly string[]): void {
    leftOut.add(name || '…')
  }
}

/**
 * Characters that people do not see and models read: controls but line ends and tabs, invisible characters but those that
 * join letters and choose emoji, and marks that reorder text.
 */
const hidden =
  /(?![\n\t])\p{Cc}|(?![\u200c\u200d\ufe0e\ufe0f])\p{Default_Ignorable_Code_Point}|[\u2028\u2029\ufff9-\ufffb]|\p{Bidi_Control}/gu

/** The longest character that people see as one, in code units, which a cut keeps whole. */
const maxCluster = 40

/** Characters of a text that are searched for visible ones. */
const maxRead = 100_000

/** A text without hidden characters and halves of characters, cut to so many characters, and never within one that people see. */
export function cutText(text: string, most: number): string {
  const clean = text
    .slice(0, maxRead + most)
    .replaceAll(hidden, '')
    .toWellFormed()
  if (clean.length <= most) return clean
  const end = Math.max(0, most - 1)
  // A text may be one long character, with thousands of accents.
  const start =
    new Intl.Segmenter('en').segment(clean.slice(0, end + maxCluster)).containing(end)?.index ?? end
  return `${clean.slice(0, end - start > maxCluster ? end : start).toWellFormed()}…`
}

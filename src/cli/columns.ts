import { shortNames } from '../api/main-fields.ts'
import { namesOfComments } from './database/tables.ts'

/** The short names of fields, such as `likes`, by their paths, of all kinds of records. */
const names: Readonly<Record<string, string>> = Object.assign(
  {},
  ...[...Object.values(shortNames), namesOfComments],
) as Record<string, string>

/** What fields say, whose names the service does not document. */
const meanings: readonly (readonly [name: RegExp, meaning: string])[] = [
  [/^(text|body|title)$/, 'text'],
  [/^author(Name|Handle)?$/, 'author'],
  [/^(timestamp|date|.*At|counted_at)$/, 'time'],
  [/^first_seen$/, 'first_seen'],
]

/** What a field says: a short name such as `likes`, or its own. */
export function shortNameOf(path: string): string {
  return names[path] ?? meanings.find(([name]) => name.test(path))?.[1] ?? path
}

export function isTime(path: string): boolean {
  return ['time', 'first_seen'].includes(shortNameOf(path))
}

export function isIdName(name: string): boolean {
  return /(^|[._])id$|Id$/.test(name)
}

/** What people read first. */
const first = ['text', 'author', 'time', 'likes', 'views', 'replies', 'reposts', 'query', 'first_seen']

/** The fields as people read them: text, author, date and counts come first, ids and addresses last. */
export function inReadingOrder(paths: readonly string[]): string[] {
  const rankOf = (path: string): number => {
    const meaning = shortNameOf(path)
    const at = first.indexOf(meaning)
    if (at !== -1) return at - first.length
    if (meaning === 'url') return 3
    return /url$|link$/i.test(path) ? 2 : isIdName(path) || /urn$/i.test(path) ? 1 : 0
  }
  return paths.toSorted((one, other) => rankOf(one) - rankOf(other))
}

/** `Employee count` for `employeeCount`. */
export function labelOf(name: string): string {
  const words = name
    .replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .replaceAll(/[_.]+/g, ' ')
    .trim()
  const label = words.slice(0, 1).toUpperCase() + words.slice(1)
  return label.replaceAll(/\b(id|url|urn)\b/gi, (word) => word.toUpperCase())
}

/** Headers as people read them. Where two fields end alike, they say what they are of. */
export function headersOf(paths: readonly string[]): string[] {
  const short = paths.map((path) => {
    const name = shortNameOf(path)
    const isNamed = names[path] === name || first.includes(name)
    const label = labelOf(isNamed ? name.replace('time', 'date') : (path.split('.').at(-1) ?? path))
    return isTime(path) ? `${label} (UTC)` : label
  })
  return paths.map((path, index) => {
    const header = short[index] ?? path
    return short.filter((each) => each === header).length === 1 ? header : labelOf(path)
  })
}

import { parseTime } from '../../lib/time.ts'
import { valueAt } from '../../lib/json.ts'
import { type Compact, cutText } from './compact.ts'
import type { ToolResult, ToolSummary } from './types.ts'

/** An item of a page, as results show and count it. */
export interface Item {
  readonly shown: Compact
  /** Characters that it takes in a result, as JSON. */
  readonly size: number
  /** Milliseconds since 1970; -Infinity for an item without a time. */
  readonly at: number
  /** ISO 8601, to the minute; undefined for an item without a time. */
  readonly time: string | undefined
  readonly author: string | undefined
}

const samples = 5
const maxCounts = 31

/** @param raw The item as the service sent it, which may have fields that are not shown. */
export function itemOf(shown: Compact, raw: unknown): Item {
  const first = (...paths: string[]): string | undefined =>
    paths.map((path) => valueAt(raw, path.split('.'))).find((value) => typeof value === 'string')
  // The documented names, which undocumented lists may share.
  const author = first('author', 'actor.actor_name', 'authorName')
  const at = new Date(parseTime(first('timestamp', 'postedAt')))
  const isTime = at.getUTCFullYear() > 0 && at.getUTCFullYear() < 10_000
  const time = isTime ? at.toISOString().replace(/:[^:]*$/, 'Z') : undefined
  return {
    shown,
    size: JSON.stringify(shown).length + 1,
    at: isTime ? at.getTime() : -Infinity,
    time,
    author: author && cutText(author, 100),
  }
}

/** The first items that take at most so many characters together. @param isFirst Whether the first one is shown in any case. */
export function fitting(items: readonly Item[], most: number, isFirst: boolean): readonly Item[] {
  let size = 0
  const end = items.findIndex((item) => (size += item.size) > most)
  return end === -1 ? items : items.slice(0, Math.max(isFirst ? 1 : 0, end))
}

/** What a result says of its items: the items, or counts and a few of them, in so many characters. */
export function listResult(
  items: readonly Item[],
  by: ToolSummary | undefined,
  most: number,
): Pick<ToolResult, 'returned' | 'oldest' | 'newest' | 'counts' | 'items'> {
  const [oldest, ...later] = items.flatMap(({ time }) => time ?? []).sort()
  return {
    returned: items.length,
    ...(oldest !== undefined && { oldest, newest: later.at(-1) ?? oldest }),
    ...(by !== undefined && { counts: countsOf(items, by) }),
    items: fitting(items.slice(0, by && samples), by === undefined ? Infinity : most, true).map(
      ({ shown }) => shown,
    ),
  }
}

/** The latest days or weeks, or the authors with most items; all others are added up. */
function countsOf(items: readonly Item[], by: ToolSummary): [string, number][] {
  const counts = new Map<string, number>()
  for (const item of items) {
    const key = groupOf(item, by) ?? '(unknown)'
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const sorted = [...counts].sort(([a, m], [b, n]) => (by === 'author' ? n - m : a < b ? 1 : -1))
  const others = sorted.slice(maxCounts).reduce((sum, [, count]) => sum + count, 0)
  return others === 0 ? sorted : [...sorted.slice(0, maxCounts), ['(others)', others]]
}

/** A day, or the Monday of a week, in UTC. */
function groupOf({ time, author }: Item, by: ToolSummary): string | undefined {
  if (by !== 'week' || time === undefined) return by === 'author' ? author : time?.slice(0, 10)
  const at = new Date(time)
  at.setUTCDate(at.getUTCDate() - ((at.getUTCDay() + 6) % 7))
  return at.toISOString().slice(0, 10)
}

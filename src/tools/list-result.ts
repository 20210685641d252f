import { valueAt } from '../lib/value-at.ts'
import { type Compact, cutText } from './compact.ts'
import type { ToolResult, ToolSummary } from './types.ts'

/** An item of a page, as results show and count it. */
export interface Item {
  readonly shown: Compact
  /** ISO 8601, to the minute. */
  readonly time: string | undefined
  readonly author: string | undefined
}

/** Items that a summary shows. */
const samples = 5

/** Counts of a summary; further ones are added up. */
const maxCounts = 31

const dayMs = 86_400_000

/** @param raw The item as the service sent it, which may have fields that are not shown. */
export function itemOf(shown: Compact, raw: unknown): Item {
  // The names that the service documents for some lists; the lists that it does not document may use them, too.
  const time = valueAt(raw, ['timestamp']) ?? valueAt(raw, ['postedAt'])
  const author = [['author'], ['actor', 'actor_name'], ['authorName']].map((path) => valueAt(raw, path))
  const at = typeof time === 'string' ? Date.parse(time) : NaN
  const name = author.find((each) => typeof each === 'string')
  return {
    shown,
    time: Number.isNaN(at) ? undefined : new Date(at).toISOString().replace(/:[^:]*Z$/, 'Z'),
    author: typeof name === 'string' ? cutText(name, 100) : undefined,
  }
}

/** What a result says of its items: the items, or counts and a few of them. */
export function listResult(
  items: readonly Item[],
  by: ToolSummary | undefined,
): Pick<ToolResult, 'returned' | 'oldest' | 'newest' | 'counts' | 'items'> {
  const times = items.flatMap(({ time }) => time ?? []).sort()
  const [oldest] = times
  const newest = times.at(-1)
  return {
    returned: items.length,
    ...(oldest !== undefined && newest !== undefined && { oldest, newest }),
    ...(by !== undefined && { counts: countsOf(items, by) }),
    items: (by === undefined ? items : items.slice(0, samples)).map(({ shown }) => shown),
  }
}

/** Days and weeks in their order, the latest if there are many; authors by their number of items. */
function countsOf(items: readonly Item[], by: ToolSummary): [string, number][] {
  const counts = new Map<string, number>()
  for (const item of items) {
    const key = keyOf(item, by) ?? '(unknown)'
    counts.set(key, (counts.get(key) ?? 0) + 1)
  }
  const sorted = [...counts].sort(([a, m], [b, n]) => (by === 'author' ? n - m : a < b ? -1 : 1))
  const kept = by === 'author' ? sorted.slice(0, maxCounts) : sorted.slice(-maxCounts)
  const others = items.length - kept.reduce((sum, [, count]) => sum + count, 0)
  return others === 0 ? kept : [...kept, ['(others)', others]]
}

/** A day, or the Monday of a week, in UTC. */
function keyOf({ time, author }: Item, by: ToolSummary): string | undefined {
  if (by === 'author' || time === undefined) return by === 'author' ? author : undefined
  const at = new Date(time)
  const sinceMonday = by === 'week' ? (at.getUTCDay() + 6) % 7 : 0
  return new Date(at.getTime() - sinceMonday * dayMs).toISOString().slice(0, 10)
}

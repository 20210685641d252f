/** Of a list, no request looks at more items, so that a rare one in an endless list takes no time. */
const mostLookedAt = 10_000

/** Items by their place, newest first: an array, or one that makes its items when they are asked for. */
export interface List<T> {
  readonly length: number
  at(index: number): T | undefined
}

/** How many of so many places come before the first that passes. All later ones pass, too. */
export function countBefore(length: number, passes: (index: number) => boolean): number {
  let [low, high] = [0, length]
  while (low < high) {
    const middle = Math.floor((low + high) / 2)
    if (passes(middle)) high = middle
    else low = middle + 1
  }
  return low
}

/** Both lists as one; of items with the same time, those of the first one come first. */
export function merged<T extends { readonly at: number }>(
  grown: List<T> & { readonly timeAt: (index: number) => number },
  others: readonly T[],
): List<T> {
  if (grown.length === 0) return others
  const places: number[] = []
  const placeOf = (other: number): number =>
    (places[other] ??=
      other + countBefore(grown.length, (index) => grown.timeAt(index) < (others[other]?.at ?? 0)))
  return {
    length: grown.length + others.length,
    at(index) {
      const before = countBefore(others.length, (other) => placeOf(other) >= index)
      return before < others.length && placeOf(before) === index ? others[before] : grown.at(index - before)
    },
  }
}

/** Takes so many items that pass, from a place on, and tells the place where it ended. */
export function take<T>(
  list: List<T>,
  { from = 0, count = Infinity }: { readonly from?: number; readonly count?: number },
  passes: (item: T) => boolean = () => true,
) {
  const items: T[] = []
  const last = Math.min(list.length, from + mostLookedAt)
  let end = from
  for (; end < last && items.length < count; end++) {
    const item = list.at(end)
    if (item !== undefined && passes(item)) items.push(item)
  }
  return { items, end }
}

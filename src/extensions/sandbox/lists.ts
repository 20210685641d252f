/** Of a list, no request looks at more items, so that a rare one in an endless list takes no time. */
const mostLookedAt = 10_000

/** An item with its time, in milliseconds since 1970. Some are made when they are asked for. */
export interface Slot<T> {
  readonly at: number
  readonly item: T
}

/** Both lists as one, newest first. Of items with the same time, those of the first one come first. */
export function* merged<T>(first: Iterable<Slot<T>>, second: Iterable<Slot<T>>): Generator<Slot<T>> {
  const others = second[Symbol.iterator]()
  let other = others.next()
  for (const slot of first) {
    for (; !other.done && other.value.at > slot.at; other = others.next()) yield other.value
    yield slot
  }
  for (; !other.done; other = others.next()) yield other.value
}

export function* filtered<T>(list: Iterable<T>, passes: (item: T) => boolean): Generator<T> {
  for (const item of list) if (passes(item)) yield item
}

/** The same places with other items, which are made when they are first read. */
export function* mapped<T>(list: Iterable<Slot<T>>, change: (item: T) => T): Generator<Slot<T>> {
  for (const slot of list) {
    let item: T | undefined
    yield {
      at: slot.at,
      get item() {
        return (item ??= change(slot.item))
      },
    }
  }
}

/** Takes so many items that pass, from a place on, and tells the place of the next one; null if there is none. */
export function take<T>(
  list: Iterable<T>,
  { from = 0, count = Infinity }: { readonly from?: number; readonly count?: number },
  passes: (item: T) => boolean = () => true,
) {
  const items: T[] = []
  let place = -1
  for (const item of list) {
    place += 1
    if (place < from) continue
    if (place === from + mostLookedAt) return { items, next: place }
    if (!passes(item)) continue
    if (items.length === count) return { items, next: place }
    items.push(item)
  }
  return { items, next: null }
}

/** Items that pass, the highest score first. */
export function ranked<T>(
  list: Iterable<Slot<T>>,
  passes: (slot: Slot<T>) => boolean,
  scoreOf: (item: T) => number,
): Slot<T>[] {
  return take(list, {}, passes).items.sort((a, b) => scoreOf(b.item) - scoreOf(a.item))
}

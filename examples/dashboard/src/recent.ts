import { type Draft, nameOf } from './draft.ts'

/** How long the proxy keeps answers, in milliseconds. */
const kept = 3_600_000

type Recent = Draft & { at: number }

/** The searches of this browser whose answers the proxy may still keep, the latest first. */
export function recentSearches(): Recent[] {
  const all = JSON.parse(localStorage.getItem('recent') ?? '[]') as Recent[]
  return all.filter(({ at }) => Date.now() - at < kept)
}

export function noteSearch(draft: Draft): void {
  const others = recentSearches().filter((recent) => nameOf(recent) !== nameOf(draft))
  localStorage.setItem('recent', JSON.stringify([{ ...draft, at: Date.now() }, ...others].slice(0, 5)))
}

import type { ReactNode } from 'react'
import { go } from './address.ts'
import { credits, useBudget } from './Credits.tsx'
import { type Draft, addressOf, nameOf } from './draft.ts'
import { Notice } from './status.tsx'

/** How long the proxy keeps answers, in milliseconds. */
export const kept = 3_600_000

/** The searches of this browser whose answers the proxy may still keep, the latest first. */
function recentSearches(): (Draft & { at: number })[] {
  const all = JSON.parse(localStorage.getItem('recent') ?? '[]') as (Draft & { at: number })[]
  return all.filter(({ at }) => Date.now() - at < kept)
}

export function noteSearch(draft: Draft): void {
  const others = recentSearches().filter((recent) => nameOf(recent) !== nameOf(draft))
  localStorage.setItem('recent', JSON.stringify([{ ...draft, at: Date.now() }, ...others].slice(0, 5)))
}

/** Opens what the proxy keeps, for free; without any, what `children` offer. */
export function Recent({ children }: { children?: ReactNode }) {
  const recent = recentSearches()
  if (recent.length === 0) return children
  return (
    <>
      Your last searches open for free:
      {recent.map((search) => (
        <button
          key={nameOf(search)}
          type="button"
          onClick={() => go({ ...addressOf(search), tab: 'search' })}
        >
          <bdi>{nameOf(search)}</bdi>
        </button>
      ))}
    </>
  )
}

/** The one message while the budget is too small: what can be read for free until it resets. */
export function UsedUp({ price, hasMentions }: { price: number; hasMentions: boolean }) {
  const { remaining, limit } = useBudget()!
  const title =
    remaining > 0
      ? `A page costs ${credits(price)}, and you have ${remaining}.`
      : `All ${limit} credits are spent.`
  return (
    <Notice title={title}>
      <Recent>
        {!hasMentions && (
          <button type="button" onClick={() => go({ tab: 'mentions' })}>
            Read mentions · free
          </button>
        )}
      </Recent>
    </Notice>
  )
}

import { queryOptions, useQuery } from '@tanstack/react-query'
import type { CreditBudget } from 'social-search-sdk'
import { budgetKey } from './api.ts'
import { type Network, networks } from './networks.ts'
import { clockName } from './period.ts'

const budgetQuery = queryOptions<ReturnType<CreditBudget['summary']>>({
  queryKey: budgetKey,
  async queryFn({ signal }) {
    const response = await fetch('/api/budget', { signal })
    if (!response.ok) throw new Error(`the server answered ${response.status}`)
    return response.json()
  },
  refetchInterval: 2_000, // a cancelled call may still be charged
  retry: false,
})
export const useBudget = () => useQuery(budgetQuery).data
/** Whether the server does not answer. It is asked again every two seconds, and then what is free loads by itself. */
export function useIsLost(): boolean {
  // Without data, `isError` is false while it asks again.
  const { data, isError, errorUpdateCount } = useQuery(budgetQuery)
  // Offline, what is asked waits for the network.
  return navigator.onLine && (isError || (!data && errorUpdateCount > 0))
}

export const credits = (count: number) => `${count} ${count === 1 ? 'credit' : 'credits'}`

interface Offer {
  /** How many pages of each search the budget allows, at most; 0 if it is used up. */
  pages: number
  /** What these cost. */
  price: string
  /** The credits of one page of each search. */
  least: number
}

/** What further pages of some searches cost: so many of each, at most. */
export function useOffer(network: Network, ...needs: number[]): Offer {
  const remaining = useBudget()?.remaining ?? Infinity
  const cost = (pages: number) =>
    networks[network].price * needs.reduce((sum, need) => sum + Math.min(need, pages), 0)
  let pages = Math.max(0, ...needs)
  while (pages > 0 && cost(pages) > remaining) pages--
  return { pages, price: `${pages > 1 ? 'up to ' : ''}${credits(cost(pages))}`, least: cost(1) }
}

const leastPrice = Math.min(...Object.values(networks).map(({ price }) => price))

export function Credits() {
  const { data: budget, dataUpdatedAt } = useQuery(budgetQuery)
  const isLost = useIsLost()
  if (!budget) return <div className="credits" />
  const { limit, spent, uncertain, reserved, remaining, endsAt } = budget
  const part = (credits: number, color: string) => ({
    width: `${(100 * credits) / (limit || 1)}%`,
    background: `var(--${color})`,
  })
  const text = [uncertain > 0 && `${uncertain} uncertain`, endsAt && `resets ${clockName(endsAt)}`]
  return (
    <div className={isLost ? 'credits stale' : 'credits'}>
      <p className="row quiet">
        <strong>
          {remaining} of {credits(limit)} left
        </strong>
        <span className="end">
          {isLost ? `as of ${clockName(dataUpdatedAt)}` : text.filter(Boolean).join(' · ')}
        </span>
      </p>
      <div
        className="meter"
        role="meter"
        aria-label="Credits left"
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={remaining}
        aria-valuetext={`${remaining} of ${limit} left, ${spent} spent`}
      >
        <i style={part(remaining, remaining < leastPrice ? 'second' : 'accent')} />
        <i style={part(reserved, 'second')} />
        <i style={part(uncertain, 'bad')} />
      </div>
    </div>
  )
}

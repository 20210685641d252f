import { useQuery } from '@tanstack/react-query'
import type { CreditBudget } from 'social-search-sdk'
import { type Network, networks } from './networks.ts'

type Budget = ReturnType<CreditBudget['summary']>

export function useBudget(): Budget | undefined {
  const { data } = useQuery<Budget>({
    queryKey: ['budget'],
    queryFn: async ({ signal }) => (await fetch('/api/budget', { signal })).json(),
    refetchInterval: 5_000, // a cancelled call may still be charged
  })
  return data
}

export const credits = (count: number) => `${count} ${count === 1 ? 'credit' : 'credits'}`

/** What pages of some searches cost, and how many the budget allows: 0 opens what the proxy keeps. */
export function useOffer(
  network: Network,
  searches: number,
  pages: number,
): { pages: number; price: string } {
  const price = networks[network].price * searches
  const allowed = Math.min(pages, Math.floor((useBudget()?.remaining ?? Infinity) / price))
  return { pages: allowed, price: `${allowed > 1 ? 'up to ' : ''}${credits(allowed * price)}` }
}

export function Credits() {
  const budget = useBudget()
  if (!budget) return <div className="credits" />
  const { limit, spent, uncertain, reserved, remaining } = budget
  const part = (credits: number, color: string) => ({
    width: `${(100 * credits) / (limit || 1)}%`,
    background: `var(--${color})`,
  })
  const text = `${spent} spent${uncertain > 0 ? ` · ${uncertain} uncertain` : ''}`
  return (
    <div className="credits">
      <p className="row quiet">
        <strong>{credits(remaining)} left</strong>
        <span className="end">{text}</span>
      </p>
      <div
        className="meter"
        role="meter"
        aria-label="Credits left"
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={remaining}
        aria-valuetext={`${remaining} of ${limit} left, ${text}`}
      >
        <i style={part(remaining, 'accent')} />
        <i style={part(reserved, 'second')} />
        <i style={part(uncertain, 'bad')} />
      </div>
    </div>
  )
}

import { useQuery } from '@tanstack/react-query'
import type { CreditBudget } from 'social-search-sdk'
import { type Network, networks } from './networks.ts'

/** `resetsIn` is by the server's clock, in milliseconds. */
type Budget = ReturnType<CreditBudget['summary']> & { resetsIn: number | null }

export function useBudget(): Budget | undefined {
  const { data } = useQuery<Budget>({
    queryKey: ['budget'],
    queryFn: async ({ signal }) => (await fetch('/api/budget', { signal })).json(),
    refetchInterval: 5_000, // a cancelled call may still be charged
  })
  return data
}

export const credits = (count: number) => `${count} ${count === 1 ? 'credit' : 'credits'}`

interface Offer {
  /** How many pages the budget allows; 0 if it is used up. */
  pages: number
  /** What these cost. */
  price: string
  /** The credits of the first page of each search. */
  least: number
}

/** What pages of some searches cost. */
export function useOffer(network: Network, searches: number, pages: number): Offer {
  const least = networks[network].price * searches
  const allowed = Math.min(pages, Math.floor((useBudget()?.remaining ?? Infinity) / least))
  return { pages: allowed, price: `${allowed > 1 ? 'up to ' : ''}${credits(allowed * least)}`, least }
}

const time = new Intl.DateTimeFormat('en', { timeStyle: 'short', hourCycle: 'h23', timeZone: 'UTC' })

/** When the budget is whole again: `Resets at 00:00 UTC (in 5 h)`. */
export function useReset(): string {
  const { endsAt = null, resetsIn = null } = useBudget() ?? {}
  if (endsAt === null || resetsIn === null) return 'No credits left'
  const minutes = Math.ceil(resetsIn / 60_000)
  return `Resets at ${time.format(endsAt)} UTC (in ${minutes > 90 ? `${Math.round(minutes / 60)} h` : `${minutes} min`})`
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

import { useQuery } from '@tanstack/react-query'
import type { CreditBudget } from 'social-search-sdk'
import { client } from './api.ts'

type Budget = ReturnType<CreditBudget['toJSON']>

export function Credits() {
  const { data } = useQuery({
    queryKey: ['budget'],
    queryFn: async ({ signal }) => {
      const budget: Budget = await (await fetch('/api/budget', { signal })).json()
      return { ...budget, saved: client.credits.saved }
    },
    refetchInterval: 5_000, // a cancelled call may still be charged
  })
  if (!data) return <div className="credits" />
  const { limit, spent, uncertain, reserved, remaining, saved } = data
  const part = (credits: number, color: string) => ({
    width: `${(100 * credits) / (limit || 1)}%`,
    background: `var(--${color})`,
  })
  const text = `${spent} spent · ${uncertain} uncertain · budget ${limit} · ${saved} saved`
  return (
    <div className="credits">
      <p className="row quiet">
        <strong>{remaining} credits left</strong>
        <span className="end">{text}</span>
      </p>
      <div
        className="meter"
        role="meter"
        aria-label="Credits"
        aria-valuemin={0}
        aria-valuemax={limit}
        aria-valuenow={spent + uncertain + reserved}
        aria-valuetext={text}
      >
        <i style={part(spent, 'accent')} />
        <i style={part(uncertain, 'bad')} />
        <i style={part(reserved, 'done')} />
      </div>
    </div>
  )
}

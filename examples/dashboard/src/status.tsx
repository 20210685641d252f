import { type ReactNode, useEffect, useState } from 'react'
import { type Wait, isSocialSearchError } from 'social-search-sdk'

export function Empty({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="empty stack">
      <h3>{title}</h3>
      <div>{children}</div>
    </div>
  )
}

export function Loading({ onCancel }: { onCancel: () => void }) {
  return (
    <div className="stack">
      <div className="row quiet">
        <span role="status">Loading…</span>
        <button className="end" onClick={onCancel}>
          Cancel
        </button>
      </div>
      <div className="card ghost" aria-hidden="true" />
    </div>
  )
}

const reasons: Record<Wait['reason'], string> = {
  slot: 'Two requests are already running',
  pace: '20 searches a minute are used up',
  rate_limited: 'The service asks to slow down',
  retry: 'The last attempt failed',
}

/** Counts down to the end of a wait. A screen reader hears the time once, not every second. */
export function Waiting({ wait, onCancel }: { wait: Wait; onCancel: () => void }) {
  const seconds = useSecondsUntil(wait.until)
  const time = wait.until?.toLocaleTimeString()
  return (
    <div className="card row waiting">
      <p className="countdown" aria-hidden="true">
        {seconds || '…'}
      </p>
      <p role="status">
        <strong>{reasons[wait.reason]}.</strong> {time ? `Continues at ${time}.` : 'Continues when one ends.'}
      </p>
      <button className="end" onClick={onCancel}>
        Cancel
      </button>
    </div>
  )
}

function useSecondsUntil(end: Date | null): number {
  const [now, setNow] = useState(Date.now)
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 250)
    return () => clearInterval(timer)
  }, [])
  return end ? Math.max(0, Math.ceil((end.getTime() - now) / 1000)) : 0
}

const titles: Record<string, string> = {
  credit_budget: 'The budget is used up',
  connection: 'The connection was lost',
  timeout: 'No answer in time',
  invalid_response: 'The answer cannot be read',
  rate_limited: 'Too many requests',
  professionalnet_unavailable: 'The service is down for now',
}

const costs = { no: 'It cost nothing.', yes: 'It was charged.', unknown: 'It may have been charged.' }

export function Failure({ error, onRetry }: { error: Error; onRetry: () => void }) {
  const known = isSocialSearchError(error) ? error : null
  return (
    <div className="card stack failure" role="alert">
      <h3>{titles[known?.code ?? ''] ?? 'That did not work'}</h3>
      <p>{error.message}</p>
      {known && (
        <p className="quiet">
          {costs[known.charged]} {known.requestId && `Request ${known.requestId}.`}
        </p>
      )}
      <button onClick={onRetry}>Try again</button>
    </div>
  )
}

import { type ReactNode, useEffect, useState } from 'react'
import { type Wait, isSocialSearchError } from 'social-search-sdk'
import { credits } from './Credits.tsx'

/** For a button that vanishes when it is pressed: the focus moves to the title of its section. */
export function focusTitle({ currentTarget }: { currentTarget: Element }): void {
  currentTarget.closest('section')?.querySelector<HTMLElement>('[tabindex="-1"]')?.focus()
}

/** The color and shape of a series. */
export const Swatch = ({ index, color }: { index: number; color?: string | undefined }) => (
  <span className={`swatch s${index}`} style={color ? { color } : {}} aria-hidden="true">
    {index === 0 || color ? '■' : '●'}
  </span>
)

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
        <button className="end" onClick={(event) => (focusTitle(event), onCancel())}>
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
      <button className="end" onClick={(event) => (focusTitle(event), onCancel())}>
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

/** What happened, and what to do, in the words of a reader without a terminal. */
const words: Record<string, [title: string, advice: string]> = {
  credit_budget: ['The budget is used up', 'Ask whoever runs this page for more credits.'],
  connection: ['The answer got lost', 'The connection broke after the request was sent.'],
  timeout: ['No answer in time', 'The service is slow at the moment.'],
  invalid_response: [
    'The answer cannot be read',
    'The service may have changed. Tell whoever runs this page.',
  ],
  rate_limited: ['Too many searches at once', 'Wait a minute, then try again.'],
  upstream_error: ['The search provider is not answering', 'Try again in a few minutes.'],
  professionalnet_unavailable: ['The professional network is down', 'Try again in a few minutes.'],
  validation_error: ['The service does not accept this', 'Change the words or the filters.'],
  not_found: ['Not found', 'Check the address.'],
}
const unknown = ['That did not work', 'Try again. If it fails again, tell whoever runs this page.'] as const

const costs = { no: 'It cost nothing.', yes: 'It was charged.', unknown: 'It may have been charged.' }

interface FailureProps {
  error: Error
  /** What the button does, and its price; null hides it. */
  onRetry: { price: number; act: () => void } | null
}

export function Failure({ error, onRetry }: FailureProps) {
  const known = isSocialSearchError(error) ? error : null
  const [title, advice] = words[known?.code ?? ''] ?? unknown
  return (
    <div className="card stack failure" role="alert">
      <h3>{title}</h3>
      <p>
        {advice} {known && costs[known.charged]}
      </p>
      <details className="quiet">
        <summary>Details</summary>
        <p>
          {error.message}
          {known?.requestId && `. Request ${known.requestId}`}
        </p>
      </details>
      {onRetry && (
        <button onClick={(event) => (focusTitle(event), onRetry.act())}>
          Try again{onRetry.price > 0 && ` · ${credits(onRetry.price)}`}
        </button>
      )}
    </div>
  )
}

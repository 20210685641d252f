import { type ReactNode, useEffect, useState } from 'react'
import { type AnySocialSearchError, type Wait, isSocialSearchError } from 'social-search-sdk'
import { credits } from './Credits.tsx'

/** For a button that vanishes when it is pressed: the focus moves to the title of its section. */
export function focusTitle({ currentTarget }: { currentTarget: Element }): void {
  currentTarget
    .closest('section:has([tabindex="-1"])')
    ?.querySelector<HTMLElement>('[tabindex="-1"]')
    ?.focus()
}

/** The color and pattern of a series. */
export const Swatch = ({ index }: { index: number }) => (
  <span className={`swatch s${index}`} aria-hidden="true">
    {index === 0 ? '■' : '▨'}
  </span>
)

/** The one message of a page: what is the matter, and what to do. */
export const Notice = ({ title, children }: { title: string; children: ReactNode }) => (
  <p className="notice row" role="status">
    <strong>{title}</strong>
    {children}
  </p>
)

export function Empty({ title, children }: { title: string; children: ReactNode }) {
  return (
    <div className="card empty stack">
      <h2>{title}</h2>
      {children}
    </div>
  )
}

const reasons: Record<Wait['reason'], string> = {
  slot: 'Other requests are still running',
  pace: 'The requests of this minute are used up',
  rate_limited: 'The service asked to slow down',
  retry: 'The last attempt failed',
}

/** Counts down to the end of a wait. A screen reader hears the time once, not every second. */
export function Waiting({ wait }: { wait: Wait }) {
  const seconds = useSecondsUntil(wait.until)
  const time = wait.until?.toLocaleTimeString('en')
  return (
    <div className="row waiting">
      <p className="countdown figure" aria-hidden="true">
        {seconds || '…'}
      </p>
      <p role="status">
        <strong>{reasons[wait.reason]}.</strong> {time ? `Continues at ${time}.` : 'Continues when one ends.'}
      </p>
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

function costOf({ charged, credits: cost }: AnySocialSearchError): string {
  if (charged === 'no') return 'You were not charged.'
  if (charged === 'yes') return `You were charged ${credits(cost.spent)}.`
  return `You may have been charged ${credits(cost.uncertain)}.`
}

interface FailureProps {
  error: Error
  /** What the button does, for free. */
  onRetry?: () => void
  /** A button that names its price. */
  children?: ReactNode
}

/** What has failed, what it cost, and what to do. */
export function Failure({ error, onRetry, children }: FailureProps) {
  const known = isSocialSearchError(error) ? error : null
  const isCutOff = known?.code === 'connection' && known.attempts.at(-1)?.status === undefined
  const isDown = (known?.status ?? 0) >= 500
  const text = isCutOff
    ? 'the dashboard cannot reach its server'
    : isDown
      ? 'the service is temporarily unavailable'
      : (known?.what ?? 'that did not work')
  return (
    <div className="notice failure row" role="alert">
      <strong>
        {text.charAt(0).toUpperCase()}
        {text.slice(1)}.
      </strong>
      <span>
        {known && costOf(known)} {isCutOff && 'Check your connection.'}{' '}
        {isDown && 'Wait a minute, then try again.'}
      </span>
      {children}
      {onRetry && <button onClick={(event) => (focusTitle(event), onRetry())}>Try again</button>}
      <details className="quiet">
        <summary>Details</summary>
        <p>{error.message}.</p>
        {known && <p>{`Request ${known.requestId ?? 'without an id'}, code ${known.code}`}</p>}
      </details>
    </div>
  )
}

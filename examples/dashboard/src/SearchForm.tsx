import { type FormEvent, type ReactNode, useEffect, useRef, useState } from 'react'
import { go } from './address.ts'
import { credits, useBudget } from './Credits.tsx'
import { type Draft, addressOf, nameOf, periodName } from './draft.ts'
import { type Network, networks } from './networks.ts'
import { lastDays, lengthOf, today } from './period.ts'
import { SavedSearches } from './SavedSearches.tsx'
import { recentSearches } from './recent.ts'

const languages = {
  '': 'Any language',
  de: 'German',
  en: 'English',
  ja: 'Japanese',
}

const reset = new Intl.DateTimeFormat('en', { timeStyle: 'short', hourCycle: 'h23', timeZone: 'UTC' })
const resetName = (time: number) => `${reset.format(time)} UTC`

interface Props {
  draft: Draft
  /** What the button says. */
  button: string
  /** Whether it only opens what the proxy keeps, because the budget is used up. */
  isFree: boolean
  onChange: (part: Partial<Draft>) => void
  onSubmit: () => void
}

export function SearchForm({ draft, button, isFree, onChange, onSubmit }: Props) {
  const until = useRef<HTMLInputElement>(null)
  const [isOpen, setIsOpen] = useState(false)
  const budget = useBudget()
  const { from, to } = draft
  const isMicroblog = draft.network === 'microblog'
  // The browser shows the message, and does not submit.
  useEffect(
    () => until.current?.setCustomValidity(from > to ? 'Until must not be before Since' : ''),
    [from, to],
  )

  function submit(event: FormEvent) {
    event.preventDefault()
    onSubmit()
  }
  return (
    <form id="search" role="search" className="stack" onSubmit={submit}>
      <div className="queries row">
        <div className="choice quiet networks" role="group" aria-label="Network">
          {Object.entries(networks).map(([network, { name, price }]) => (
            <button
              key={network}
              type="button"
              aria-pressed={network === draft.network}
              onClick={() => onChange({ network: network as Network, lang: '', noReplies: false })}
            >
              {name} <small>{credits(price)} a page</small>
            </button>
          ))}
        </div>
        <input
          type="search"
          aria-label="Search posts"
          placeholder="Search posts"
          required
          maxLength={200}
          value={draft.query}
          onChange={(event) => onChange({ query: event.target.value })}
        />
        <input
          type="search"
          aria-label="Compare with"
          placeholder="Compare with"
          maxLength={200}
          value={draft.versus}
          onChange={(event) => onChange({ versus: event.target.value })}
        />
        <button className="primary">{button}</button>
      </div>
      {budget && isFree && (
        <p role="status">
          {credits(budget.remaining)} left of {budget.limit}
          {budget.remaining > 0 && `, too few for a page of ${credits(networks[draft.network].price)}`}
          {budget.endsAt !== null && `: the budget resets at ${resetName(budget.endsAt)}`}. Searches of the
          last hour open for free:{' '}
          {recentSearches().map((recent) => (
            <button
              key={nameOf(recent)}
              type="button"
              onClick={() => go({ ...addressOf(recent), tab: 'search' })}
            >
              <bdi>{nameOf(recent)}</bdi>
            </button>
          ))}
          {recentSearches().length === 0 && 'you have made none.'}
        </p>
      )}
      <button type="button" className="fold" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
        {[periodName(draft), isMicroblog && (languages[draft.lang as keyof typeof languages] ?? draft.lang)]
          .filter(Boolean)
          .join(' · ')}
      </button>
      <div className={isOpen ? 'filters row quiet open' : 'filters row quiet'}>
        <div className="choice" role="group" aria-label="Period">
          {[7, 28, 90].map((days) => (
            <button
              key={days}
              type="button"
              aria-pressed={lengthOf(draft) === days && to === today()}
              onClick={() => onChange(lastDays(days))}
            >
              {days} days
            </button>
          ))}
        </div>
        <Labelled text="Since">
          <input
            type="date"
            required
            value={from}
            onChange={(event) => onChange({ from: event.target.value })}
          />
        </Labelled>
        <Labelled text="Until">
          <input
            ref={until}
            type="date"
            required
            value={to}
            onChange={(event) => onChange({ to: event.target.value })}
          />
        </Labelled>
        {isMicroblog && (
          <select
            aria-label="Language"
            value={draft.lang}
            onChange={(event) => onChange({ lang: event.target.value })}
          >
            {Object.entries(languages).map(([lang, name]) => (
              <option key={lang} value={lang}>
                {name}
              </option>
            ))}
          </select>
        )}
        <select
          aria-label="Posts of each search"
          value={draft.pages}
          onChange={(event) => onChange({ pages: Number(event.target.value) })}
        >
          {[1, 3, 5].map((pages) => (
            <option key={pages} value={pages}>
              {isMicroblog ? `Newest ${20 * pages}` : pages === 1 ? '1 page' : `${pages} pages`}
            </option>
          ))}
        </select>
        {isMicroblog && (
          <Labelled text="No replies">
            <input
              type="checkbox"
              checked={draft.noReplies}
              onChange={(event) => onChange({ noReplies: event.target.checked })}
            />
          </Labelled>
        )}
        <SavedSearches draft={draft} onPick={(saved) => go({ ...addressOf(saved), tab: 'search' })} />
      </div>
    </form>
  )
}

const Labelled = ({ text, children }: { text: string; children: ReactNode }) => (
  <label className="row">
    {text}
    {children}
  </label>
)

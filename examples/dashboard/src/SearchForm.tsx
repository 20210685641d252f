import { type FormEvent, type ReactNode, useEffect, useRef } from 'react'
import { go } from './address.ts'
import { prices } from './api.ts'
import { credits, useBudget, useShortage } from './Credits.tsx'
import { type Draft, addressOf, searchesOf } from './draft.ts'
import { lastDays, lengthOf, today } from './period.ts'
import { SavedSearches } from './SavedSearches.tsx'

const languages = {
  '': 'Any language',
  de: 'German',
  en: 'English',
  ja: 'Japanese',
}

interface Props {
  draft: Draft
  onChange: (part: Partial<Draft>) => void
  /** Buys this many pages of each search, at most. */
  onSubmit: (pages: number) => void
}

export function SearchForm({ draft, onChange, onSubmit }: Props) {
  const until = useRef<HTMLInputElement>(null)
  const { from, to } = draft
  // The browser shows the message, and does not submit.
  useEffect(
    () => until.current?.setCustomValidity(from > to ? 'Until must not be before Since' : ''),
    [from, to],
  )

  const count = Math.max(1, searchesOf(draft).length)
  const onePage = prices.posts * count
  const affordable = Math.floor((useBudget()?.remaining ?? Infinity) / onePage)
  const shortage = useShortage(onePage)
  const pages = Math.max(1, Math.min(draft.pages, affordable))
  const verb = count > 1 ? 'Compare' : 'Search'

  function submit(event: FormEvent) {
    event.preventDefault()
    if (searchesOf(draft).length > 0) onSubmit(pages)
  }
  return (
    <form role="search" className="stack" onSubmit={submit}>
      <div className="queries row">
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
        <button className="primary" disabled={shortage !== null}>
          {shortage ? 'Too few credits' : `${verb} · ${pages > 1 ? 'up to ' : ''}${credits(pages * onePage)}`}
        </button>
      </div>
      {shortage && <p role="status">{shortage} Searches of the last hour still show for 0 credits.</p>}
      <div className="filters row quiet">
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
        <select
          aria-label="Posts of each search"
          value={draft.pages}
          onChange={(event) => onChange({ pages: Number(event.target.value) })}
        >
          {[1, 3, 5].map((pages) => (
            <option key={pages} value={pages}>
              Newest {20 * pages}
            </option>
          ))}
        </select>
        <Labelled text="No replies">
          <input
            type="checkbox"
            checked={draft.noReplies}
            onChange={(event) => onChange({ noReplies: event.target.checked })}
          />
        </Labelled>
      </div>
      <SavedSearches draft={draft} onPick={(saved) => go({ ...addressOf(saved), at: '' })} />
    </form>
  )
}

const Labelled = ({ text, children }: { text: string; children: ReactNode }) => (
  <label className="row">
    {text}
    {children}
  </label>
)

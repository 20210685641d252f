import { useState } from 'react'
import type { Draft } from './Search.tsx'

export type Saved = Partial<Draft> & { query: string }

/** Searches that this browser remembers. Picking one fills in the form, and buys nothing. */
export function SavedSearches({ draft, onPick }: { draft: Draft; onPick: (saved: Saved) => void }) {
  const [all, setAll] = useState<Saved[]>(() => JSON.parse(localStorage.getItem('searches') ?? '[]'))
  function store(searches: Saved[]) {
    localStorage.setItem('searches', JSON.stringify(searches))
    setAll(searches)
  }
  const isSaved = all.some((saved) => JSON.stringify(saved) === JSON.stringify(draft))
  const isBlank = draft.query.trim() === ''
  if (all.length === 0 && isBlank) return null
  return (
    <ul className="saved row quiet" aria-label="Saved searches">
      {all.map((saved) => (
        <li key={JSON.stringify(saved)}>
          <button type="button" onClick={() => onPick(saved)}>
            {nameOf(saved)}
          </button>
          <button
            type="button"
            aria-label={`Remove ${nameOf(saved)}`}
            onClick={() => store(all.filter((other) => other !== saved))}
          >
            ×
          </button>
        </li>
      ))}
      {!isBlank && !isSaved && (
        <li>
          <button type="button" onClick={() => store([...all, draft])}>
            Save this search
          </button>
        </li>
      )}
    </ul>
  )
}

export function nameOf({ query, versus, category, lang, since, until, noReplies }: Saved): string {
  const dates = (since || until) && `${since ?? ''}–${until ?? ''}`
  const filters = [category === 'Latest' && 'latest', lang, dates, noReplies && 'no replies']
  return [[query, versus].filter(Boolean).join(' or '), ...filters].filter(Boolean).join(', ')
}

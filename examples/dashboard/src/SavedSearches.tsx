import { useState } from 'react'
import { type Draft, blank, nameOf, searchesOf } from './draft.ts'

/** Searches that this browser remembers. Picking one shows what the proxy keeps of it, and buys nothing. */
export function SavedSearches({ draft, onPick }: { draft: Draft; onPick: (saved: Draft) => void }) {
  const [all, setAll] = useState<Draft[]>(readSaved)
  function store(searches: Draft[]) {
    localStorage.setItem('searches', JSON.stringify(searches))
    setAll(searches)
  }
  const { network, query, versus, lang, from, to, newest, noReplies, pages } = draft
  const isSaved = all.some((saved) => nameOf(saved) === nameOf(draft))
  const isBlank = searchesOf(draft).length === 0
  if (all.length === 0 && isBlank) return null
  return (
    <ul className="saved row quiet" aria-label="Saved searches">
      {all.map((saved) => (
        <li key={nameOf(saved)}>
          <button type="button" onClick={() => onPick(saved)}>
            {nameOf(saved)}
          </button>
          <button
            type="button"
            aria-label={`Remove ${nameOf(saved)}`}
            onClick={({ currentTarget }) => {
              currentTarget.form?.querySelector('input')?.focus()
              store(all.filter((other) => other !== saved))
            }}
          >
            ×
          </button>
        </li>
      ))}
      {!isBlank && (
        <li>
          <button
            type="button"
            aria-disabled={isSaved}
            onClick={() =>
              !isSaved &&
              store([...all, { network, query, versus, lang, from, to, newest, noReplies, pages }])
            }
          >
            {isSaved ? 'Saved' : 'Save this search'}
          </button>
        </li>
      )}
    </ul>
  )
}

/** Searches saved by an earlier version may lack fields. */
function readSaved(): Draft[] {
  const saved = JSON.parse(localStorage.getItem('searches') ?? '[]') as Partial<Draft>[]
  return saved.map((each) => ({ ...blank(), ...each }))
}

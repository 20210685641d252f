import { useState } from 'react'
import { go, useAddress } from './address.ts'
import { type Draft, addressOf, blank, draftOf, searchesOf } from './draft.ts'
import { buy } from './load.ts'
import { Results } from './Results.tsx'
import { SearchForm } from './SearchForm.tsx'
import { Empty } from './status.tsx'

const ideas: Partial<Draft>[] = [
  { query: 'react', versus: 'vue' },
  { query: 'coffee' },
  { query: 'climate', lang: 'en' },
]

export function Search() {
  const address = useAddress()
  const shown = draftOf(address)
  const key = JSON.stringify(shown)
  // What the form says follows the address: a search, the back button, a saved search.
  const [draft, setDraft] = useState({ key, ...shown })
  if (draft.key !== key) setDraft({ key, ...shown })
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part })

  /** Shows what the form says. Only a press of the button, or Enter, gets here. */
  function submit(next: Draft, pages: number) {
    buy(searchesOf(next), pages)
    go({ ...addressOf(next), at: '' })
  }
  return (
    <>
      <h2 className="hidden">Posts</h2>
      <SearchForm draft={draft} onChange={change} onSubmit={(pages) => submit(draft, pages)} />
      {searchesOf(shown).length > 0 ? (
        <Results key={key} draft={shown} />
      ) : (
        <Empty title="What are people saying?">
          <p>Enter a word, or take an idea. Nothing is bought before you press the button.</p>
          <p className="ideas row">
            {ideas.map((idea) => (
              <button key={idea.query} onClick={() => change({ ...blank(), ...idea })}>
                {[idea.query, idea.versus].filter(Boolean).join(' or ')}
              </button>
            ))}
          </p>
        </Empty>
      )}
    </>
  )
}

import { useState } from 'react'
import { go, useAddress } from './address.ts'
import { useOffer } from './Credits.tsx'
import { type Draft, addressOf, blank, draftOf, isSameSearch, nameOf, searchesOf } from './draft.ts'
import { buy, usePosts } from './load.ts'
import { type Result, reaches } from './measure.ts'
import { before, startOf } from './period.ts'
import { noteSearch } from './recent.ts'
import { Results } from './Results.tsx'
import { SearchForm } from './SearchForm.tsx'
import { Empty } from './status.tsx'
import { Today } from './Today.tsx'

const ideas: Partial<Draft>[] = [
  { query: 'react', versus: 'vue' },
  { query: 'coffee' },
  { query: 'climate', lang: 'en' },
]

export function Search({ isToday }: { isToday: boolean }) {
  const address = useAddress()
  const shown = draftOf(address)
  const key = JSON.stringify(shown)
  // What the form says follows the address: a search, the back button, a saved search.
  const [draft, setDraft] = useState({ key, ...shown })
  if (draft.key !== key) setDraft({ key, ...shown })

  const searches = searchesOf(shown)
  const loads = [usePosts(searches[0]), usePosts(searches[1])].slice(0, searches.length)
  const results = loads.map(({ posts, pages, isComplete }, i): Result => {
    return { query: searches[i]!.query, posts, isLoaded: pages > 0, isComplete }
  })
  const isSame = searches.length > 0 && isSameSearch(draft, shown)
  const isStale = searches.length > 0 && (!isSame || draft.from !== shown.from || draft.to !== shown.to)

  /** The posts of another period may be here already. Then it shows at once. */
  function change(part: Partial<Draft>) {
    const next = { ...draft, ...part }
    const isNarrower = shown.from <= next.from && next.to <= shown.to
    const isHere = next.to <= shown.newest && results.every((result) => reaches(result, startOf(next.from)))
    const isPeriod = next.from <= next.to && (next.from !== draft.from || next.to !== draft.to)
    if (isPeriod && isSameSearch(next, shown) && searches.length > 0 && (isNarrower || isHere))
      go(addressOf({ ...next, newest: shown.newest }), { replace: true })
    else setDraft(next)
  }

  // A longer period needs the pages that follow, of the searches that do not reach back so far.
  const continues =
    isSame &&
    isStale &&
    draft.to <= shown.newest &&
    results.every((result) => reaches(result, startOf(draft.to)))
  const target = { ...draft, newest: continues ? shown.newest : draft.to }
  const wanted = searchesOf(target).filter((_, i) => !continues || !reaches(results[i]!, startOf(draft.from)))
  const offer = useOffer(draft.network, Math.max(1, wanted.length), draft.pages)
  const since = startOf(before(draft).from)
  function submit() {
    if (searchesOf(target).length === 0) return
    if (offer.pages > 0) {
      buy(wanted, { pages: offer.pages, since, continues })
      noteSearch(target)
    }
    go({ ...addressOf(target), tab: '' })
  }
  const verb = offer.pages === 0 ? 'Open' : searchesOf(target).length > 1 ? 'Compare' : 'Search'
  const button = `${verb} · ${offer.price}`
  return (
    <>
      {!isToday && <h2 className="hidden">Posts</h2>}
      <SearchForm
        draft={draft}
        button={button}
        isFree={offer.pages === 0}
        onChange={change}
        onSubmit={submit}
      />
      {isToday ? (
        <Today />
      ) : searches.length > 0 ? (
        <Results
          key={JSON.stringify(searches)}
          {...{ period: shown, searches, loads, results }}
          button={offer.pages > 0 ? button : null}
          stale={isStale ? { shown: nameOf(shown), button } : null}
        />
      ) : (
        <Empty title="What are people saying?">
          <p>Enter a word, or take an idea. Nothing is charged until you press Search.</p>
          <p className="ideas row">
            {ideas.map((idea) => (
              <button key={idea.query} onClick={() => setDraft({ ...draft, ...blank(), ...idea })}>
                {[idea.query, idea.versus].filter(Boolean).join(' or ')}
              </button>
            ))}
          </p>
        </Empty>
      )}
    </>
  )
}

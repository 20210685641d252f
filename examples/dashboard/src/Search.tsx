import { useState } from 'react'
import { go, useAddress } from './address.ts'
import { useOffer } from './Credits.tsx'
import { type Draft, addressOf, blank, draftOf, isSameSearch, nameOf, searchesOf } from './draft.ts'
import { type Load, buy, cancel, usePosts } from './load.ts'
import { reaches } from './measure.ts'
import { before, startOf } from './period.ts'
import { Recent, UsedUp, kept, noteSearch } from './recent.tsx'
import { Results } from './Results.tsx'
import { SearchForm } from './SearchForm.tsx'
import { Empty, Notice, Offline } from './status.tsx'
import { Today } from './Today.tsx'

const ideas = [{ query: 'react', versus: 'vue' }, { query: 'coffee' }, { query: 'climate', lang: 'en' }]

export function Search({ isToday }: { isToday: boolean }) {
  const address = useAddress()
  const shown = draftOf(address)
  const key = JSON.stringify(shown)
  // What the form says follows the address: a search, the back button, a recent search.
  const [draft, setDraft] = useState({ key, ...shown })
  if (draft.key !== key) setDraft({ key, ...shown })

  const searches = searchesOf(shown)
  const loads = [usePosts(searches[0]), usePosts(searches[1])].slice(0, searches.length)
  const isSame = searches.length > 0 && isSameSearch(draft, shown)
  const isStale = searches.length > 0 && (!isSame || draft.from !== shown.from || draft.to !== shown.to)

  /** The posts of another period may be here already. Then it shows at once. */
  function change(part: Partial<Draft>) {
    const next = { ...draft, ...part }
    const isNarrower = shown.from <= next.from && next.to <= shown.to
    const isHere = next.to <= shown.newest && loads.every((load) => reaches(load, startOf(next.from)))
    const isPeriod = next.from <= next.to && (next.from !== draft.from || next.to !== draft.to)
    if (isPeriod && isSameSearch(next, shown) && searches.length > 0 && (isNarrower || isHere))
      go(addressOf({ ...next, newest: shown.newest }), { replace: true })
    else setDraft(next)
  }

  // A longer period needs the pages that follow, of the searches that do not reach back so far.
  const continues =
    isSame && isStale && draft.to <= shown.newest && loads.every((load) => reaches(load, startOf(draft.to)))
  const target = { ...draft, newest: continues ? shown.newest : draft.to }
  const wanted = searchesOf(target).filter((_, i) => !continues || !reaches(loads[i]!, startOf(draft.from)))
  const offer = useOffer(draft.network, Math.max(1, wanted.length), draft.pages)
  const isUsedUp = offer.pages === 0
  const verb = searchesOf(target).length > 1 ? 'Compare' : 'Search'
  const since = startOf(before(draft).from)
  const isBusy = !isStale && loads.some(({ isFetching, isPaused }) => isFetching || isPaused)
  /** Whether a press would only read again what the proxy keeps. */
  const isHere = (load: Load) =>
    !load.error && Date.now() - load.oldest < kept && (reaches(load, since) || load.pages >= draft.pages)
  const isLoaded = !isStale && searches.length > 0 && loads.every(isHere)
  function submit() {
    if (searchesOf(target).length === 0 || isUsedUp || isBusy || isLoaded) return
    buy(wanted, { pages: offer.pages, since, continues })
    noteSearch(target)
    go({ ...addressOf(target), tab: '' })
  }

  const isMissing = searches.length > 0 && loads.every((load) => load.isMissing)
  const isOverview = isToday || (isUsedUp && searches.length === 0)
  /** The one message of the page: what is the matter, and what to do. */
  function notice() {
    if (loads.some(({ isPaused }) => isPaused)) return <Offline onCancel={() => void cancel()} />
    if (isUsedUp) return <UsedUp price={offer.least} hasMentions={isOverview} />
    if (isStale) return <Notice title={`Showing ${nameOf(shown)}.`}>Press {verb} to update.</Notice>
    return isMissing && <Notice title="Not loaded yet.">Press {verb} to load these posts.</Notice>
  }
  return (
    <>
      {!isToday && <h2 className="hidden">Posts</h2>}
      <SearchForm
        {...{ draft, isUsedUp, isToday }}
        isIdle={isBusy || isLoaded}
        button={isLoaded ? 'Loaded' : `${verb} · ${offer.price}`}
        onChange={change}
        onSubmit={submit}
      >
        {notice()}
      </SearchForm>
      {isOverview ? (
        <Today />
      ) : searches.length > 0 ? (
        <Results key={JSON.stringify(searches)} {...{ period: shown, loads, isStale }} />
      ) : (
        <Empty title="What are people saying?">
          <p>Enter a word, or take an idea. Nothing is charged until you press Search.</p>
          <p className="row ideas">
            {ideas.map((idea) => (
              <button key={idea.query} onClick={() => setDraft({ ...draft, ...blank(), ...idea })}>
                {[idea.query, idea.versus].filter(Boolean).join(' or ')}
              </button>
            ))}
          </p>
          <p className="row ideas">
            <Recent />
          </p>
        </Empty>
      )}
    </>
  )
}

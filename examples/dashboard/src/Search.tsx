import { type FormEvent, useEffect, useState } from 'react'
import { go, useAddress } from './address.ts'
import { Choice, Select } from './controls.tsx'
import { credits, useBudget, useIsLost, useOffer } from './Credits.tsx'
import {
  type Draft,
  addressOf,
  blank,
  draftOf,
  isSameSearch,
  nameOf,
  periodName,
  searchesOf,
} from './draft.ts'
import { buy, postsOf, usePosts } from './load.ts'
import { reaches } from './measure.ts'
import { plural } from './headline.ts'
import { type Network, networks } from './networks.ts'
import { before, clockName, lastDays, lengthOf, startOf, today } from './period.ts'
import { Results } from './Results.tsx'
import { Empty, Notice, focusTitle } from './status.tsx'
import { Today } from './Today.tsx'

const ideas = [{ query: 'react', versus: 'vue' }, { query: 'coffee' }, { query: 'climate', lang: 'en' }]
const languages: Record<string, string> = { '': 'Any language', de: 'German', en: 'English', ja: 'Japanese' }
/** How long the proxy keeps answers, in milliseconds. */
const kept = 3_600_000

/** The first view and that of a search: a form that says what a press costs, and what it finds. */
export function Search({ isToday }: { isToday: boolean }) {
  const [isOpen, setIsOpen] = useState(false)
  const address = useAddress()
  const shown = draftOf(address)
  const key = JSON.stringify(shown)
  // What the form says follows the address: a search, the back button, a recent search.
  const [draft, setDraft] = useState({ key, ...shown })
  if (draft.key !== key) setDraft({ key, ...shown })

  const searches = searchesOf(shown)
  const loads = [usePosts(searches[0]), usePosts(searches[1])].slice(0, searches.length)
  const bought = Math.min(...loads.map(({ oldest }) => oldest))
  const areLoaded = loads.length > 0 && loads.every(({ isLoaded }) => isLoaded)
  useEffect(() => {
    if (areLoaded) noteSearch(shown, bought)
  }, [key, areLoaded, bought])
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

  // A longer period needs the pages that follow those that are here.
  const isContinued =
    isSame &&
    (!isStale || (draft.to <= shown.newest && loads.every((load) => reaches(load, startOf(draft.to)))))
  const target = { ...draft, newest: isContinued ? shown.newest : draft.to }
  const since = startOf(before(draft).from)
  const isLonger = isSame && isStale
  /** How many pages a press may pay for. What is here is free, for as long as the proxy keeps it. */
  const wanted = searchesOf(target).map((search) => {
    const here = postsOf(search)
    const continues = here.pages > 0 && Date.now() - here.oldest < kept
    const isEnough = continues && reaches(here, isLonger ? startOf(draft.from) : since)
    const already = continues && !isLonger ? here.pages : 0
    return { search, since, pages: isEnough ? 0 : Math.max(0, draft.pages - already), continues }
  })
  const needs = wanted.length > 0 ? wanted.map(({ pages }) => pages) : [draft.pages]
  const [offer, another] = [useOffer(draft.network, ...needs), useOffer(draft.network, 1)]
  const isFree = needs.every((pages) => pages === 0)
  const isUsedUp = (isFree ? another : offer).pages === 0
  const verb = wanted.length > 1 ? 'Compare' : 'Search'
  const price = isFree ? 'free (already loaded)' : offer.price
  const isLost = useIsLost()
  const isBusy = isLost || (!isStale && loads.some(({ isFetching, isPaused }) => isFetching || isPaused))
  function submit(event: FormEvent) {
    event.preventDefault()
    setIsOpen(false)
    if (wanted.length === 0 || (isUsedUp && !isFree) || isBusy) return
    const purchases = wanted.map((each) => ({ ...each, pages: Math.min(each.pages, offer.pages) }))
    buy(purchases.filter(({ pages }) => pages > 0))
    go({ ...addressOf(target), tab: '' }, { replace: isFree && !isStale })
  }

  const { network, lang, from, to } = draft
  const { price: pagePrice, pageSize } = networks[network]
  const isMicroblog = network === 'microblog'
  /** On the first view, it is one field until a word is there. */
  const isQuiet = isToday && !draft.query && !draft.versus
  const nameOfPages = (pages: number) =>
    pageSize ? `Newest ${pageSize * pages} (${plural(pages, 'page')})` : plural(pages, 'page')
  const words = (name: 'query' | 'versus', label: string) => (
    <input
      type="search"
      dir="auto"
      aria-label={label}
      placeholder={label}
      required={name === 'query'}
      maxLength={200}
      value={draft[name]}
      onChange={(event) => change({ [name]: event.target.value })}
    />
  )
  const day = (name: 'from' | 'to', label: string) => (
    <label className="row">
      {label}
      <input
        type="date"
        required
        min={name === 'to' ? from : undefined}
        value={draft[name]}
        onChange={(event) => change({ [name]: event.target.value })}
      />
    </label>
  )
  const summary = [networks[network].name, periodName(draft), plural(draft.pages, 'page')]
  const isOverview = isToday || (isUsedUp && searches.length === 0)
  const action = (text: string) =>
    !isUsedUp && (
      <button className="primary" form="search" disabled={isLost} onClick={focusTitle}>
        {text} · {price}
      </button>
    )
  return (
    <>
      {!isToday && <h2 className="hidden">Search</h2>}
      <form id="search" role="search" className={isQuiet ? 'stack quick' : 'stack'} onSubmit={submit}>
        <div className="queries row">
          {words('query', 'Search posts')}
          {!isQuiet && words('versus', 'Compare with')}
          <button
            className={isFree ? undefined : 'primary'}
            disabled={isUsedUp && !isFree}
            aria-disabled={isBusy}
          >
            {isUsedUp && !isFree ? verb : `${verb} · ${price}`}
          </button>
          <span className="fold">
            <button type="button" aria-expanded={isOpen} onClick={() => setIsOpen(!isOpen)}>
              {summary.join(' · ')} ▾
            </button>
          </span>
        </div>
        {isUsedUp && <UsedUp price={offer.least || another.least} />}
        <div className={isOpen ? 'filters row quiet open' : 'filters row quiet'}>
          <Select
            {...{ label: 'Network', value: network }}
            options={(Object.keys(networks) as Network[]).map((each) => [
              each,
              `${networks[each].name} · ${credits(networks[each].price)} a page`,
            ])}
            onChange={(network) => change({ network: network as Network, lang: '', noReplies: false })}
          />
          <Choice
            label="Period"
            options={[7, 28, 90]}
            value={to === today() ? lengthOf(draft) : undefined}
            nameOf={(days) => `${days} days`}
            onChange={(days) => change(lastDays(days))}
          />
          {day('from', 'Since')}
          {day('to', 'Until')}
          {isMicroblog && (
            <Select
              {...{ label: 'Language', value: lang, options: Object.entries(languages) }}
              onChange={(lang) => change({ lang })}
            />
          )}
          <Select
            {...{ label: 'Posts of each search', value: String(draft.pages) }}
            options={[1, 3, 5].map((pages) => [String(pages), nameOfPages(pages)])}
            onChange={(pages) => change({ pages: Number(pages) })}
          />
          {isMicroblog && (
            <label className="row">
              <input
                type="checkbox"
                checked={draft.noReplies}
                onChange={(event) => change({ noReplies: event.target.checked })}
              />
              Hide replies
            </label>
          )}
        </div>
      </form>
      {isOverview ? (
        <Today />
      ) : searches.length > 0 ? (
        <Results
          key={JSON.stringify(searches)}
          {...{ name: nameOf(shown), period: shown, loads, isStale, action }}
          price={isFree ? null : offer.price}
        >
          <Recent />
        </Results>
      ) : (
        <Empty title="What are people saying?">
          <p>Enter a word, or two to compare. Nothing is charged until you press Search.</p>
          <p className="quiet">
            {pageSize ? `A page of up to ${pageSize} posts` : 'A page'} costs {credits(pagePrice)}. Opening it
            again within an hour is free.
          </p>
          <p className="row quiet">
            Fill in an example:
            {ideas.map((idea) => (
              <button key={idea.query} onClick={() => setDraft({ ...draft, ...blank(), ...idea })}>
                {[idea.query, idea.versus].filter(Boolean).join(' vs ')}
              </button>
            ))}
          </p>
          <p className="row quiet">
            <Recent />
          </p>
        </Empty>
      )}
    </>
  )
}

/** The searches that this browser has loaded, whose answers the proxy may still keep, the latest first. */
function recentSearches(): (Draft & { at: number })[] {
  const all = JSON.parse(localStorage.getItem('recent') ?? '[]') as (Draft & { at: number })[]
  return all.filter(({ at }) => Date.now() - at < kept)
}

function noteSearch(draft: Draft, at: number): void {
  const others = recentSearches().filter((recent) => !isSameSearch(recent, draft))
  localStorage.setItem('recent', JSON.stringify([{ ...draft, at }, ...others].slice(0, 5)))
}

/** What is free: the searches that the proxy keeps, or else the mentions. */
function Recent() {
  const recent = recentSearches()
  if (recent.length === 0)
    return (
      <button type="button" onClick={() => go({ tab: 'mentions' })}>
        Read mentions · free
      </button>
    )
  return (
    <>
      Your last searches open for free:
      {recent.map((search) => (
        <button
          key={nameOf(search)}
          type="button"
          onClick={() => go({ ...addressOf(search), tab: 'search' })}
        >
          <bdi>{nameOf(search)}</bdi>
        </button>
      ))}
    </>
  )
}

/** The one message while the budget is too small: what can be read for free until it resets. */
function UsedUp({ price }: { price: number }) {
  const { remaining, limit, endsAt } = useBudget()!
  const title =
    remaining > 0
      ? `A page costs ${credits(price)}, and you have ${remaining}.`
      : `All ${limit} credits are spent.`
  return (
    <Notice title={`${title} All ${limit} are back${endsAt ? ` at ${clockName(endsAt)}` : ' later'}.`}>
      <Recent />
    </Notice>
  )
}

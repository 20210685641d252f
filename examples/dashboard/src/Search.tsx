import { type FormEvent, useState } from 'react'
import type { MicroblogCategory, MicroblogPost, MicroblogSearchParams } from 'social-search-sdk'
import { client, queryClient } from './api.ts'
import { Posts } from './Posts.tsx'
import { type Saved, SavedSearches, nameOf } from './SavedSearches.tsx'
import { Empty } from './status.tsx'
import { Summary } from './Summary.tsx'

/** What the form says. */
export interface Draft {
  query: string
  versus: string
  category: MicroblogCategory
  lang: string
  since: string
  until: string
  noReplies: boolean
}

const blank: Draft = {
  query: '',
  versus: '',
  category: 'Top',
  lang: '',
  since: '',
  until: '',
  noReplies: false,
}
const ideas: Saved[] = [
  { query: 'coffee' },
  { query: 'react', versus: 'vue' },
  { query: 'climate', lang: 'en' },
]
const languages = {
  '': 'Any language',
  de: 'German',
  en: 'English',
  es: 'Spanish',
  fr: 'French',
  ja: 'Japanese',
}

export function Search() {
  const [draft, setDraft] = useState(blank)
  const [shown, setShown] = useState({ draft: blank, isEarlier: false, run: 0 })
  const [earlier, setEarlier] = useState<Draft[]>([])
  const [bought, setBought] = useState<Record<string, MicroblogPost[]>>({})
  const change = (part: Partial<Draft>) => setDraft({ ...draft, ...part })
  const fill = (saved: Saved) => setDraft({ ...blank, ...saved })

  const searches = searchesOf(shown.draft)
  const pages = searchesOf(draft).length || 1
  const { atMost: price } = client.quote('microblog.search', { query: 'any' }, { pages })

  // Nothing but this button, and the one below the posts, buys a search: each press costs what it says.
  function submit(event: FormEvent) {
    event.preventDefault()
    if (searchesOf(draft).length > 0) show(draft, false)
  }
  function show(next: Draft, isEarlier: boolean) {
    queryClient.removeQueries({ queryKey: ['social-search', 'microblog.search'] })
    const isBought = searches.length > 0 && searches.every(({ query }) => bought[query]?.length)
    const all = isBought ? [...earlier, shown.draft] : earlier
    setEarlier(all.filter((each) => JSON.stringify(each) !== JSON.stringify(next)))
    setShown({ draft: next, isEarlier, run: shown.run + 1 })
    setDraft(next)
    setBought({})
  }
  return (
    <section className="search stack" aria-labelledby="search-title">
      <h2 id="search-title">Posts</h2>
      <form role="search" className="stack" onSubmit={submit}>
        <div className="queries row">
          <input
            type="search"
            aria-label="Search posts"
            placeholder="Search posts"
            required
            maxLength={200}
            value={draft.query}
            onChange={(event) => change({ query: event.target.value })}
          />
          <input
            type="search"
            aria-label="Compare with"
            placeholder="Compare with"
            maxLength={200}
            value={draft.versus}
            onChange={(event) => change({ versus: event.target.value })}
          />
          <button className="primary">
            {pages > 1 ? 'Compare' : 'Search'} · {price} credits
          </button>
        </div>
        <div className="filters row quiet">
          <select
            aria-label="Order"
            value={draft.category}
            onChange={(event) => change({ category: event.target.value as MicroblogCategory })}
          >
            <option>Top</option>
            <option>Latest</option>
          </select>
          <select
            aria-label="Language"
            value={draft.lang}
            onChange={(event) => change({ lang: event.target.value })}
          >
            {Object.entries(languages).map(([lang, name]) => (
              <option key={lang} value={lang}>
                {name}
              </option>
            ))}
          </select>
          {(['since', 'until'] as const).map((bound) => (
            <label key={bound} className="row">
              {bound === 'since' ? 'Since' : 'Until'}
              <input
                type="date"
                value={draft[bound]}
                onChange={(event) => change({ [bound]: event.target.value })}
              />
            </label>
          ))}
          <label className="row">
            <input
              type="checkbox"
              checked={draft.noReplies}
              onChange={(event) => change({ noReplies: event.target.checked })}
            />
            No replies
          </label>
        </div>
        <SavedSearches draft={draft} onPick={fill} />
        {earlier.length > 0 && (
          <ul className="saved row quiet" aria-label="Earlier searches">
            {earlier.map((each) => (
              <li key={JSON.stringify(each)}>
                <button type="button" onClick={() => show(each, true)}>
                  {nameOf(each)} · 0 credits
                </button>
              </li>
            ))}
          </ul>
        )}
      </form>
      {searches.length === 0 ? (
        <Empty title="What are people saying?">
          <p>Enter a word, or take an idea. Nothing is bought before you press the button.</p>
          <p className="ideas row">
            {ideas.map((idea) => (
              <button key={idea.query} onClick={() => fill(idea)}>
                {[idea.query, idea.versus].filter(Boolean).join(' or ')}
              </button>
            ))}
          </p>
        </Empty>
      ) : (
        <>
          <Summary bought={searches.map(({ query }) => [query, bought[query] ?? []])} />
          {/* A new search gets new components: the old ones unmount, which cancels their calls. */}
          <div className={searches.length > 1 ? 'versus' : undefined}>
            {searches.map((params) => (
              <Posts
                key={`${shown.run} ${params.query}`}
                params={params}
                isEarlier={shown.isEarlier}
                onPosts={(posts) => setBought((all) => ({ ...all, [params.query]: posts }))}
              />
            ))}
          </div>
        </>
      )}
    </section>
  )
}

/** The searches of a form: one for each different query. */
function searchesOf({
  query,
  versus,
  category,
  lang,
  since,
  until,
  noReplies,
}: Draft): MicroblogSearchParams[] {
  const queries = [query, versus].map((text) => text.trim()).filter((text) => text !== '')
  const filters = {
    ...(lang && { lang }),
    ...(since && { since }),
    ...(until && { until }),
    ...(noReplies && { removeReplies: true }),
  }
  return [...new Set(queries)].map((query) => ({ query, category, filters }))
}

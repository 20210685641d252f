import { useEffect } from 'react'
import { go, goToSearch, useAddress } from './address.ts'
import { loadAgain } from './api.ts'
import { isTyping } from './controls.tsx'
import { Credits, useBudget, useIsLost } from './Credits.tsx'
import { Mentions } from './Mentions.tsx'
import { zone } from './period.ts'
import { Search } from './Search.tsx'
import { Notice } from './status.tsx'

const views = { today: Search, search: Search, mentions: Mentions }
type View = keyof typeof views

export function App() {
  const { tab = '', q, vs } = useAddress()
  const view: View = tab in views ? (tab as View) : q ? 'search' : 'today'
  const Current = views[view]
  const isLost = useIsLost()
  const hasAnswered = useBudget() !== undefined
  const subject = view === 'search' ? [q, vs].filter(Boolean).join(' vs ') : view
  useEffect(() => {
    document.title = [subject, 'Social search'].filter(Boolean).join(' · ')
  }, [subject])
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header>
        <div className="top row">
          <h1>
            Social search <span className="badge">Demo data</span>
          </h1>
          <nav className="tabs" aria-label="Views">
            {(Object.keys(views) as View[]).map((name) => (
              <button
                key={name}
                aria-current={name === view ? 'page' : undefined}
                onClick={() => go({ tab: name, at: '' })}
              >
                {name}
              </button>
            ))}
          </nav>
          <Credits />
        </div>
        {isLost && (
          <Notice title={hasAnswered ? 'No answer, changes paused.' : 'No answer from the server.'}>
            <span className="wide">Retrying every 2 seconds.</span>
            <button onClick={loadAgain}>Retry now</button>
          </Notice>
        )}
      </header>
      <main id="main" className={isLost ? 'stale' : undefined} tabIndex={-1}>
        <Current isToday={view === 'today'} />
      </main>
      <footer className="quiet">Days and times are in {zone()}.</footer>
    </>
  )
}

/** `/` leads to the search, but not while somebody types. */
addEventListener('keydown', (event) => {
  if (event.key !== '/' || isTyping(event) || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  goToSearch()
})

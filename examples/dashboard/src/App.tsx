import { useEffect, useState } from 'react'
import { go, useAddress } from './address.ts'
import { Credits } from './Credits.tsx'
import { Faults } from './Faults.tsx'
import { Mentions } from './Mentions.tsx'
import { Search } from './Search.tsx'

const views = { today: Search, search: Search, mentions: Mentions }
type View = keyof typeof views

export function App() {
  const { tab = '', q, vs } = useAddress()
  const view: View = tab in views ? (tab as View) : q ? 'search' : 'today'
  const Current = views[view]
  const subject = view === 'search' ? [q, vs].filter(Boolean).join(' or ') : view
  useEffect(() => {
    document.title = [subject, 'Social search'].filter(Boolean).join(' · ')
  }, [subject])
  return (
    <>
      <a className="skip" href="#main">
        Skip to the content
      </a>
      <header className="top row">
        <h1>Social search</h1>
        <span className="badge">Demo data</span>
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
        <ThemeButton />
      </header>
      <main id="main" tabIndex={-1}>
        <Current isToday={view === 'today'} />
      </main>
      <Faults />
    </>
  )
}

/** `/` leads to the search, but not while somebody types. */
addEventListener('keydown', (event) => {
  const isTyping = event.target instanceof Element && event.target.closest('input, select, textarea')
  if (event.key !== '/' || isTyping || event.ctrlKey || event.metaKey) return
  event.preventDefault()
  if (!document.querySelector('#search')) go({ tab: '' }, { replace: true })
  requestAnimationFrame(() => document.querySelector<HTMLInputElement>('#search input')?.focus())
})

const prefersDark = matchMedia('(prefers-color-scheme: dark)').matches

function ThemeButton() {
  const [theme, setTheme] = useState(localStorage.getItem('theme') ?? (prefersDark ? 'dark' : 'light'))
  useEffect(() => {
    document.documentElement.style.colorScheme = theme
    localStorage.setItem('theme', theme)
  }, [theme])

  const other = theme === 'dark' ? 'light' : 'dark'
  return (
    <button className="theme" aria-label={`Use ${other} colors`} onClick={() => setTheme(other)}>
      {other === 'dark' ? '☾' : '☀'}
    </button>
  )
}

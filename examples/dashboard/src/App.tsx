import { useEffect, useState } from 'react'
import { go, useAddress } from './address.ts'
import { Company } from './Company.tsx'
import { Credits } from './Credits.tsx'
import { Faults } from './Faults.tsx'
import { Mentions } from './Mentions.tsx'
import { Search } from './Search.tsx'

const views = { posts: Search, mentions: Mentions, company: Company }
type View = keyof typeof views

export function App() {
  const { tab = 'posts' } = useAddress()
  const view: View = tab in views ? (tab as View) : 'posts'
  const Current = views[view]
  return (
    <>
      <header className="top row">
        <h1>Social search</h1>
        <nav className="tabs" aria-label="Views">
          {(Object.keys(views) as View[]).map((name) => (
            <button
              key={name}
              aria-current={name === view ? 'page' : undefined}
              onClick={() => go({ tab: name === 'posts' ? '' : name, at: '' })}
            >
              {name}
            </button>
          ))}
        </nav>
        <Credits />
        <ThemeButton />
      </header>
      <main>
        <Current />
      </main>
      <Faults />
    </>
  )
}

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

import { useEffect, useState } from 'react'
import { Company } from './Company.tsx'
import { Credits } from './Credits.tsx'
import { Faults } from './Faults.tsx'
import { Mentions } from './Mentions.tsx'
import { Search } from './Search.tsx'

const views = ['Search', 'Mentions', 'Company'] as const

export function App() {
  // Wide windows show all views at once; narrow ones show one, and a tab bar.
  const [view, setView] = useState<(typeof views)[number]>('Search')
  return (
    <>
      <header className="top row">
        <h1>Social search</h1>
        <Credits />
        <ThemeButton />
      </header>
      <main data-view={view}>
        <Search />
        <aside className="stack" aria-label="Organization">
          <Mentions />
          <Company />
          <Faults />
        </aside>
      </main>
      <nav className="tabs" aria-label="Views">
        {views.map((name) => (
          <button key={name} aria-current={name === view ? 'page' : undefined} onClick={() => setView(name)}>
            {name}
          </button>
        ))}
      </nav>
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
  return <button onClick={() => setTheme(other)}>{other === 'dark' ? 'Dark' : 'Light'}</button>
}

import { useEffect, useState } from 'react'
import type { MicroblogCategory } from 'social-search-sdk'
import { Posts } from './Posts.tsx'
import { Empty } from './status.tsx'

export function Search() {
  const [text, setText] = useState('')
  const [category, setCategory] = useState<MicroblogCategory>('Top')
  const query = useDebounced(text.trim(), 500)
  return (
    <section className="search stack" aria-labelledby="search-title">
      <h2 id="search-title">Posts</h2>
      <form role="search" className="row" onSubmit={(event) => event.preventDefault()}>
        <input
          type="search"
          aria-label="Search posts"
          placeholder="Try coffee"
          maxLength={200}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <select
          aria-label="Order"
          value={category}
          onChange={(event) => setCategory(event.target.value as MicroblogCategory)}
        >
          <option>Top</option>
          <option>Latest</option>
        </select>
      </form>
      {query.length < 2 ? (
        <Empty title="What are people saying?">
          Type two letters or more. A page of 20 posts costs 2 credits.
        </Empty>
      ) : (
        // A new query gets a new component: the old one unmounts, which cancels its call.
        <Posts key={`${category} ${query}`} query={query} category={category} />
      )}
    </section>
  )
}

/** The value, once it has not changed for some milliseconds. */
function useDebounced(value: string, ms: number): string {
  const [settled, setSettled] = useState(value)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), ms)
    return () => clearTimeout(timer)
  }, [value, ms])
  return settled
}

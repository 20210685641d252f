'use client'

import { type FormEvent, useState, useTransition } from 'react'
import { type MicroblogPost, SocialSearch, isSocialSearchError } from 'social-search-sdk'

const client = new SocialSearch({ baseUrl: '/api/social' }) // no key: app/api/social has it

export default function Page() {
  const [posts, setPosts] = useState<MicroblogPost[]>([])
  const [problem, setProblem] = useState('')

  const [isPending, startTransition] = useTransition()

  function submit(event: FormEvent<HTMLFormElement>) {
    event.preventDefault() // <form action={…}> would reset the field
    const query = String(new FormData(event.currentTarget).get('query'))
    startTransition(async () => {
      setProblem('')
      try {
        const page = await client.microblog.search({ query })
        setPosts(page.posts)
      } catch (error) {
        if (!isSocialSearchError(error)) throw error
        setProblem(error.message)
      }
    })
  }

  return (
    <main>
      <h1>Search posts</h1>
      <form onSubmit={submit}>
        <input name="query" aria-label="Query" defaultValue="typescript" required maxLength={200} />
        <button disabled={isPending}>{isPending ? 'Searching…' : 'Search'}</button>
      </form>
      <p role="alert">{problem}</p>
      <ul>
        {posts.map((post) => (
          <li key={post.id}>
            <a href={post.url}>{post.name}</a>: {post.body}
          </li>
        ))}
      </ul>
    </main>
  )
}

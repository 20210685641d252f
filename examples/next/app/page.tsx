'use client'

import { useState } from 'react'
import { type MicroblogPost, SocialSearch, isSocialSearchError } from 'social-search-sdk'

const client = new SocialSearch({ baseUrl: '/api/social' }) // no key: app/api/social has it

export default function Page() {
  const [posts, setPosts] = useState<MicroblogPost[]>([])
  const [problem, setProblem] = useState('')

  async function search(form: FormData) {
    setProblem('')
    try {
      const page = await client.microblog.search({ query: String(form.get('query')) })
      setPosts(page.posts)
    } catch (error) {
      if (!isSocialSearchError(error)) throw error
      setProblem(error.message)
    }
  }

  return (
    <main>
      <h1>Search posts</h1>
      <form action={search}>
        <input name="query" aria-label="Query" defaultValue="typescript" required maxLength={200} />
        <button>Search</button>
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

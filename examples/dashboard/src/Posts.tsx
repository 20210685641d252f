import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useRef, useState } from 'react'
import type { MicroblogCategory, MicroblogPost, Wait } from 'social-search-sdk'
import { infiniteSearchOptions } from 'social-search-sdk/query'
import { client, queryClient } from './api.ts'
import { Empty, Failure, Loading, Waiting } from './status.tsx'

export function Posts({ query, category }: { query: string; category: MicroblogCategory }) {
  const [wait, setWait] = useState<Wait | null>(null)
  const [isStopped, setStopped] = useState(false)
  const search = infiniteSearchOptions(client, 'microblog.search', { query, category }, { onWait: setWait })
  const { data, error, isFetching, isPaused, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery(search)
  useEffect(() => {
    if (!isFetching) setWait(null)
  }, [isFetching])

  const posts = data?.pages.flatMap((page) => page.posts) ?? []
  function next() {
    setStopped(false)
    void fetchNextPage({ cancelRefetch: false })
  }
  function cancel() {
    setStopped(true)
    void queryClient.cancelQueries({ queryKey: search.queryKey })
  }
  const isIdle = !isFetching && !isPaused && !error
  return (
    <>
      {data && posts.length === 0 && <Empty title="No posts">Nothing matches “{query}”.</Empty>}
      {posts.length > 0 && (
        <p className="quiet" role="status">
          {posts.length} posts{hasNextPage ? ' so far' : ', and no more'}
        </p>
      )}
      <ul className="posts">
        {posts.map((post) => (
          <Card key={post.id} post={post} />
        ))}
      </ul>
      {isPaused && <Empty title="You are offline">The search continues when you are online again.</Empty>}
      {isFetching && (wait ? <Waiting wait={wait} onCancel={cancel} /> : <Loading onCancel={cancel} />)}
      {error && !isFetching && <Failure error={error} onRetry={() => void (data ? next() : refetch())} />}
      {isIdle && !data && (
        <Empty title="Cancelled">
          <button onClick={() => void refetch()}>Search again</button>
        </Empty>
      )}
      {isIdle && hasNextPage && <More onPress={next} isAutomatic={!isStopped} />}
    </>
  )
}

/** A button that presses itself when you scroll to it, unless you have cancelled the last page. */
function More({ onPress, isAutomatic }: { onPress: () => void; isAutomatic: boolean }) {
  const button = useRef<HTMLButtonElement>(null)
  useEffect(() => {
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && onPress())
    if (isAutomatic) observer.observe(button.current!)
    return () => observer.disconnect()
  })
  return (
    <button ref={button} onClick={onPress}>
      More posts · 2 credits
    </button>
  )
}

const count = new Intl.NumberFormat('en', { notation: 'compact' })
const date = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })

function Card({ post }: { post: MicroblogPost }) {
  const { favoriteCount, retweetCount, replyCount, viewsCount } = post.engagements
  return (
    <li className="card">
      <article className="stack">
        <header className="row">
          <span className="avatar" aria-hidden="true">
            {[...post.name][0]}
          </span>
          <div>
            <h3>{post.name}</h3>
            <p className="quiet">
              @{post.author} ·{' '}
              <a href={post.url} target="_blank" rel="noreferrer">
                <time dateTime={post.timestamp}>{date.format(new Date(post.timestamp))}</time>
              </a>
            </p>
          </div>
        </header>
        <p dir="auto">{post.body}</p>
        <footer className="row quiet">
          <span>{count.format(favoriteCount)} likes</span>
          <span>{count.format(retweetCount)} reposts</span>
          <span>{count.format(replyCount)} replies</span>
          <span>{count.format(viewsCount)} views</span>
        </footer>
      </article>
    </li>
  )
}

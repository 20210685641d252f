import { useInfiniteQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import type { MicroblogPost, MicroblogSearchParams, Observer, Wait } from 'social-search-sdk'
import { infiniteSearchOptions } from 'social-search-sdk/query'
import { client, queryClient } from './api.ts'
import { Empty, Failure, Loading, Waiting } from './status.tsx'

interface Props {
  params: MicroblogSearchParams
  /** Whether the posts were bought before; they then come from the cache. */
  isEarlier: boolean
  onPosts: (posts: MicroblogPost[]) => void
}

/** The posts of one search, page by page. */
export function Posts({ params, isEarlier, onPosts }: Props) {
  const [wait, setWait] = useState<Wait | null>(null)
  const [age, setAge] = useState<number>()
  const observer: Observer = { onCall: ({ cached }) => setAge((first) => first ?? cached?.age) }
  const cache = isEarlier ? { maxAge: Infinity } : ('refresh' as const)
  const options = { onWait: setWait, observers: [observer], cache }
  const search = infiniteSearchOptions(client, 'microblog.search', params, options)
  const { data, error, isFetching, isPaused, hasNextPage, fetchNextPage, refetch } = useInfiniteQuery(search)
  useEffect(() => {
    if (!isFetching) setWait(null)
  }, [isFetching])

  // New posts may push old ones to the next page, so that both pages have them.
  const all = data?.pages.flatMap((page) => page.posts) ?? []
  const posts = [...new Map(all.map((post) => [post.id, post])).values()]
  useEffect(() => onPosts(posts), [data])
  const next = () => void fetchNextPage({ cancelRefetch: false })
  const cancel = () => void queryClient.cancelQueries({ queryKey: search.queryKey })
  const isIdle = !isFetching && !isPaused && !error
  return (
    <section className="stack" aria-label={`Posts about ${params.query}`}>
      <h3>{params.query}</h3>
      {data && posts.length === 0 && <Empty title="No posts">Nothing matches “{params.query}”.</Empty>}
      {posts.length > 0 && (
        <p className="quiet" role="status">
          {posts.length} posts{hasNextPage ? ' so far' : ', and no more'}
          {isEarlier && age !== undefined && `, bought ${ago.format(-Math.round(age / 60_000), 'minute')}`}
        </p>
      )}
      <ul className="posts">
        {posts.map((post) => (
          <Card key={post.id} post={post} />
        ))}
      </ul>
      {isPaused && <Empty title="You are offline">The search continues when you are online again.</Empty>}
      {isFetching && (wait ? <Waiting wait={wait} onCancel={cancel} /> : <Loading onCancel={cancel} />)}
      {error && !isFetching && <Failure error={error} onRetry={() => (data ? next() : void refetch())} />}
      {isIdle && !data && (
        <Empty title="Cancelled">
          <button onClick={() => void refetch()}>Search again</button>
        </Empty>
      )}
      {isIdle && hasNextPage && <button onClick={next}>More posts · 2 credits</button>}
    </section>
  )
}

const count = new Intl.NumberFormat('en', { notation: 'compact' })
const date = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })
const ago = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })

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
            <h4>{post.name}</h4>
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

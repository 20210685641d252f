import { useState } from 'react'
import type { MicroblogPost, MicroblogSearchParams } from 'social-search-sdk'
import { client, prices } from './api.ts'
import { credits, useShortage } from './Credits.tsx'
import { download } from './download.ts'
import { NotStored, cancel, load as loadPages, type usePosts } from './load.ts'
import { countsOf } from './measure.ts'
import { Empty, Failure, Loading, Waiting } from './status.tsx'

const likes = ({ engagements }: MicroblogPost) => engagements.favoriteCount
const views = ({ engagements }: MicroblogPost) => engagements.viewsCount
type Compare = (a: MicroblogPost, b: MicroblogPost) => number
export const sorts: { id: string; name: string; compare: Compare }[] = [
  { id: 'likes', name: 'Most liked', compare: (a, b) => likes(b) - likes(a) },
  { id: 'views', name: 'Most viewed', compare: (a, b) => views(b) - views(a) },
  { id: 'newest', name: 'Newest', compare: (a, b) => Date.parse(b.timestamp) - Date.parse(a.timestamp) },
]
const few = 4

interface Props {
  params: MicroblogSearchParams
  load: ReturnType<typeof usePosts>
  color: string
  /** The posts to list, in order. */
  shown: MicroblogPost[]
}

/** Authors and posts of one search. */
export function Posts({ params, load, color, shown }: Props) {
  const [isLong, setIsLong] = useState(false)
  const { data, error, isFetching, isPaused, isComplete, wait, oldest } = load
  const price = prices.posts
  const shortage = useShortage(price)
  const { query } = params
  const next = () => void loadPages(client, params, (data?.pages.length ?? 0) + 1)
  const isMissing = error instanceof NotStored
  const authors = countsOf(shown.map(({ author }) => author)).slice(0, 5)
  return (
    <section className="stack" aria-label={`Posts about ${query}`}>
      <div className="row">
        <h4 tabIndex={-1}>
          <span style={{ color }} aria-hidden="true">
            ■
          </span>{' '}
          {query}
        </h4>
        {data && (
          <p className="quiet" role="status">
            {shown.length} {shown.length === 1 ? 'post' : 'posts'}, bought {minutesAgo(oldest)}
          </p>
        )}
        {shown.length > 0 && (
          <button className="end" onClick={() => void download(shown, query)}>
            CSV<span className="hidden"> of {query}</span>
          </button>
        )}
      </div>
      {data && shown.length === 0 && <Empty title="No posts">Nothing about “{query}” in these days.</Empty>}
      {authors.length > 0 && (
        <ul className="authors quiet" aria-label={`Authors about ${query}`}>
          {authors.map(([author, count]) => (
            <li key={author} className="row">
              <span>@{author}</span>
              <span className="meter" aria-hidden="true">
                <i style={{ width: `${(100 * count) / authors[0]![1]}%`, background: color }} />
              </span>
              <span>{count}</span>
            </li>
          ))}
        </ul>
      )}
      <ul className="posts">
        {shown.slice(0, isLong ? undefined : few).map((post) => (
          <Card key={post.id} post={post} />
        ))}
      </ul>
      {shown.length > few && (
        <button aria-expanded={isLong} onClick={() => setIsLong(!isLong)}>
          {isLong ? `Show the first ${few}` : `Show all ${shown.length} posts`}
        </button>
      )}
      {isPaused && <Empty title="You are offline">The search continues when you are online again.</Empty>}
      {isFetching && !isPaused && wait && <Waiting wait={wait} onCancel={() => void cancel(params)} />}
      {isFetching && !wait && !data && <Loading onCancel={() => void cancel(params)} />}
      {error && !isMissing && !isFetching && (
        <Failure error={error} onRetry={data || shortage ? null : { price, act: next }} />
      )}
      {isMissing && !data && (
        <Empty title="Not bought yet">
          The posts of this search are not kept, or no longer. Press Search to buy them.
        </Empty>
      )}
      {!data && !isFetching && !isPaused && !error && (
        <Empty title="Nothing loaded">Press Search to buy these posts.</Empty>
      )}
      {/* The button stays while it works, so that the focus does. */}
      {data && (
        <button
          aria-disabled={isFetching || isComplete || shortage !== null}
          onClick={() => !isFetching && !isComplete && !shortage && next()}
        >
          {isComplete
            ? 'No more posts'
            : isFetching
              ? 'Loading…'
              : shortage
                ? 'More posts: too few credits'
                : `More posts · ${credits(price)}`}
        </button>
      )}
    </section>
  )
}

const count = new Intl.NumberFormat('en', { notation: 'compact' })
const date = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })
const ago = new Intl.RelativeTimeFormat('en', { numeric: 'auto' })
const minutesAgo = (time: number) => ago.format(-Math.round((Date.now() - time) / 60_000), 'minute')

function Card({ post }: { post: MicroblogPost }) {
  const { favoriteCount, retweetCount, replyCount, viewsCount } = post.engagements
  return (
    <li className="card">
      <article className="stack">
        <p className="quiet">
          <strong>{post.name}</strong> @{post.author} ·{' '}
          <a href={post.url} target="_blank" rel="noreferrer">
            <time dateTime={post.timestamp}>{date.format(new Date(post.timestamp))}</time>
          </a>
        </p>
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

import { useState } from 'react'
import { client } from './api.ts'
import { useOffer } from './Credits.tsx'
import { download } from './download.ts'
import { plural } from './headline.ts'
import { NotStored, type Load, cancel, load as loadPages } from './load.ts'
import { type Post, numbersOf } from './measure.ts'
import { type Network, networks } from './networks.ts'
import { Failure, Swatch, Waiting, focusTitle } from './status.tsx'
import { LongText, ageOf } from './Text.tsx'

const viewsOf = (post: Post) => numbersOf([post]).views
const likes = ({ engagements }: Post) => engagements.favoriteCount
type Compare = (a: Post, b: Post) => number
export const sorts: { id: string; name: string; compare: Compare }[] = [
  { id: 'views', name: 'Most viewed', compare: (a, b) => viewsOf(b) - viewsOf(a) },
  { id: 'likes', name: 'Most liked', compare: (a, b) => likes(b) - likes(a) },
  { id: 'newest', name: 'Newest', compare: (a, b) => Date.parse(b.timestamp) - Date.parse(a.timestamp) },
]
const few = 4

interface Props {
  load: Load
  index: number
  /** The posts to list, in order. */
  shown: Post[]
  /** Whether they wait for the first page of the other search. */
  isHeld: boolean
}

/** Posts of one search. */
export function Posts({ load, index, shown, isHeld }: Props) {
  const [isLong, setIsLong] = useState(false)
  const { search, query, pages, undated, error, isFetching, isPaused, isMissing, wait, oldest } = load
  const { price } = networks[search.network]
  const canBuy = useOffer(search.network, 1, 1).pages > 0
  const retry = () => void loadPages(client, search, { pages: pages + 1 })
  const isLoading = isFetching && !isPaused && !wait && pages === 0
  const isReady = pages > 0 && !isHeld
  return (
    <section className="stack" aria-label={`Posts about ${query}`}>
      <div className="row about">
        <h4 tabIndex={-1}>
          <Swatch index={index} /> <bdi>{query}</bdi>
        </h4>
        {(isReady || isMissing) && (
          <p className="quiet" role="status">
            {isMissing
              ? 'not loaded'
              : `${plural(shown.length, 'post')}${undated > 0 ? `, ${undated} more without a date` : ''} · updated ${ageOf(oldest)}`}
          </p>
        )}
        {shown.length > 0 && (
          <button className="end" onClick={() => void download(shown, search)}>
            CSV<span className="hidden"> of {query}</span>
          </button>
        )}
        {isLoading && (
          <>
            <span className="quiet" role="status">
              Loading…
            </span>
            <button className="end" onClick={(event) => (focusTitle(event), void cancel(search))}>
              Cancel
            </button>
          </>
        )}
      </div>
      {(isLoading || (isHeld && pages > 0 && !wait)) && <div className="card ghost" aria-hidden="true" />}
      {isFetching && !isPaused && wait && <Waiting wait={wait} onCancel={() => void cancel(search)} />}
      {error && !(error instanceof NotStored) && !isFetching && (
        <Failure error={error} onRetry={canBuy ? { price, act: retry } : null} />
      )}
      <ul className="posts">
        {shown.slice(0, isLong ? undefined : few).map((post) => (
          <Card key={post.id} post={post} network={search.network} />
        ))}
      </ul>
      {shown.length > few && (
        <button aria-expanded={isLong} onClick={() => setIsLong(!isLong)}>
          {isLong ? `Show the first ${few}` : `Show all ${shown.length} posts`}
        </button>
      )}
    </section>
  )
}

const date = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })

function Card({ post, network }: { post: Post; network: Network }) {
  const { favoriteCount, retweetCount, replyCount, viewsCount } = post.engagements
  const isMicroblog = network === 'microblog'
  return (
    <li className="card">
      <article className="stack">
        <p className="quiet">
          <strong>
            <bdi>{post.name}</bdi>
          </strong>{' '}
          {isMicroblog && <bdi>@{post.author}</bdi>} ·{' '}
          <a href={post.url} target="_blank" rel="noreferrer">
            <time dateTime={post.timestamp}>{date.format(new Date(post.timestamp))}</time>
          </a>
        </p>
        <LongText>{post.body}</LongText>
        <footer className="row quiet">
          {viewsCount !== undefined && <span>{plural(viewsCount, 'view')}</span>}
          <span>{plural(favoriteCount, 'like')}</span>
          <span>{plural(retweetCount, isMicroblog ? 'repost' : 'share')}</span>
          <span>{isMicroblog ? plural(replyCount, 'reply', 'replies') : plural(replyCount, 'comment')}</span>
        </footer>
      </article>
    </li>
  )
}

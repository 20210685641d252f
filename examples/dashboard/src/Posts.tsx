import { useState } from 'react'
import type { MicroblogPost, MicroblogSearchParams } from 'social-search-sdk'
import { client, prices } from './api.ts'
import { useShortage } from './Credits.tsx'
import { download } from './download.ts'
import { isolated, plural } from './headline.ts'
import { NotStored, cancel, load as loadPages, type usePosts } from './load.ts'
import { viewsOf } from './measure.ts'
import { Empty, Failure, Swatch, Waiting, focusTitle } from './status.tsx'
import { LongText, ageOf } from './Text.tsx'

const likes = ({ engagements }: MicroblogPost) => engagements.favoriteCount
type Compare = (a: MicroblogPost, b: MicroblogPost) => number
export const sorts: { id: string; name: string; compare: Compare }[] = [
  { id: 'views', name: 'Most viewed', compare: (a, b) => viewsOf(b) - viewsOf(a) },
  { id: 'likes', name: 'Most liked', compare: (a, b) => likes(b) - likes(a) },
  { id: 'newest', name: 'Newest', compare: (a, b) => Date.parse(b.timestamp) - Date.parse(a.timestamp) },
]
const few = 4

interface Props {
  params: MicroblogSearchParams
  load: ReturnType<typeof usePosts>
  index: number
  /** The posts to list, in order. */
  shown: MicroblogPost[]
  /** Whether they wait for the first page of the other search. */
  isHeld: boolean
  /** What the button of the form says; null if the budget is used up. */
  button: string | null
}

/** Posts of one search. */
export function Posts({ params, load, index, shown, isHeld, button }: Props) {
  const [isLong, setIsLong] = useState(false)
  const { pages, error, isFetching, isPaused, wait, oldest } = load
  const price = prices.posts
  const shortage = useShortage(price)
  const { query } = params
  const retry = () => void loadPages(client, params, { pages: pages + 1 })
  const isMissing = error instanceof NotStored
  const isLoading = isFetching && !isPaused && !wait && pages === 0
  const isReady = pages > 0 && !isHeld
  return (
    <section className="stack" aria-label={`Posts about ${query}`}>
      <div className="row about">
        <h4 tabIndex={-1}>
          <Swatch index={index} /> <bdi>{query}</bdi>
        </h4>
        {isReady && (
          <p className="quiet" role="status">
            {plural(shown.length, 'post')} · updated {ageOf(oldest)}
          </p>
        )}
        {shown.length > 0 && (
          <button className="end" onClick={() => void download(shown, query)}>
            CSV<span className="hidden"> of {query}</span>
          </button>
        )}
        {isLoading && (
          <>
            <span className="quiet" role="status">
              Loading…
            </span>
            <button className="end" onClick={(event) => (focusTitle(event), void cancel(params))}>
              Cancel
            </button>
          </>
        )}
      </div>
      {(isLoading || (isHeld && pages > 0 && !wait)) && <div className="card ghost" aria-hidden="true" />}
      {isPaused && <Empty title="You are offline">The search continues when you are online again.</Empty>}
      {isFetching && !isPaused && wait && <Waiting wait={wait} onCancel={() => void cancel(params)} />}
      {error && !isMissing && !isFetching && (
        <Failure error={error} onRetry={shortage ? null : { price, act: retry }} />
      )}
      {isMissing && pages === 0 && (
        <Empty title="Not loaded yet">
          Nobody has searched for this in the last hour. {button ? `Press “${button}” to load it.` : shortage}
        </Empty>
      )}
      {pages === 0 && !isFetching && !isPaused && !error && (
        <Empty title="Nothing loaded">{button ? `Press “${button}” to load these posts.` : shortage}</Empty>
      )}
      {isReady && shown.length === 0 && (
        <Empty title={`Nothing about “${isolated(query)}” here`}>
          Try fewer or other words, any language, or more days.
        </Empty>
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
    </section>
  )
}

const date = new Intl.DateTimeFormat('en', { dateStyle: 'medium', timeZone: 'UTC' })

function Card({ post }: { post: MicroblogPost }) {
  const { favoriteCount, retweetCount, replyCount, viewsCount } = post.engagements
  return (
    <li className="card">
      <article className="stack">
        <p className="quiet">
          <strong>
            <bdi>{post.name}</bdi>
          </strong>{' '}
          <bdi>@{post.author}</bdi> ·{' '}
          <a href={post.url} target="_blank" rel="noreferrer">
            <time dateTime={post.timestamp}>{date.format(new Date(post.timestamp))}</time>
          </a>
        </p>
        <LongText>{post.body}</LongText>
        <footer className="row quiet">
          <span>{plural(viewsCount, 'view')}</span>
          <span>{plural(favoriteCount, 'like')}</span>
          <span>{plural(retweetCount, 'repost')}</span>
          <span>{plural(replyCount, 'reply', 'replies')}</span>
        </footer>
      </article>
    </li>
  )
}

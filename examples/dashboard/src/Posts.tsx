import { useState } from 'react'
import { plural } from './headline.ts'
import type { Load } from './load.ts'
import { type Post, numbersOf } from './measure.ts'
import { type Network, type Search, networks } from './networks.ts'
import { clockName } from './period.ts'
import { Swatch } from './status.tsx'
import { Text } from './Text.tsx'

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
}

/** Posts of one search. */
export function Posts({ load, index, shown }: Props) {
  const [isLong, setIsLong] = useState(false)
  const { search, query, isLoaded, undated, oldest } = load
  return (
    <section className="stack" aria-label={`Posts about ${query}`}>
      <div className="row about">
        <h4 tabIndex={-1}>
          <Swatch index={index} /> <bdi>{query}</bdi>
        </h4>
        <p className="quiet" role="status">
          {isLoaded
            ? `${plural(shown.length, 'post')}${undated > 0 ? `, ${undated} more without a date` : ''} · as of ${clockName(oldest)}`
            : 'not loaded'}
        </p>
        {shown.length > 0 && (
          <button className="end" onClick={() => void download(shown, search)}>
            CSV<span className="hidden"> of {query}</span>
          </button>
        )}
      </div>
      {/* With another page, it is another list: none of its posts has moved. */}
      <ul key={load.pages} className="posts">
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

const date = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })

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
          <time dateTime={post.timestamp}>{date.format(new Date(post.timestamp))}</time>
        </p>
        <Text href={post.url}>{post.body}</Text>
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

/** Saves posts as a CSV file. What writes it is loaded then. */
async function download(posts: Post[], { network, query }: Search): Promise<void> {
  const { fieldsOf, streamOf, toCsv } = await import('social-search-sdk/export')
  const each = async function* () {
    for (const { record } of posts) if (record) yield record
  }
  const csv = streamOf(each()).pipeThrough(toCsv({ fields: fieldsOf(networks[network].id) }))
  const link = document.createElement('a')
  link.href = URL.createObjectURL(await new Response(csv).blob())
  link.download = `${query}.csv`
  link.click()
  URL.revokeObjectURL(link.href)
}

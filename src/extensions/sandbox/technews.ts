import type { IndexedPost } from './index-post.ts'
import { makePost } from './microblog-posts.ts'
import { pageOf } from './pages.ts'
import { pageIn, requiredText } from './params.ts'
import type { PostStore } from './post-store.ts'
import { type Make, makeUp } from './series.ts'

/** A story or a comment. Its fields are made up: the service documents none. */
type IndexedStory = Omit<IndexedPost, 'post'> & { readonly post: object }

const topics = ['typescript', 'opensource', 'databases', 'ai']
const pageSize = 20

/** A microblog post on technology in other fields. */
const make: Make<IndexedStory> = (random, at, { seed, query }) => {
  const made = makePost(random, at, { seed, query: query || random.pick(topics) })
  const { id, body, author, timestamp, engagements } = made.post
  const post = {
    ...{ id, url: `https://technews.example/item/${id}`, author, timestamp },
    ...(random.chance(0.5) ? { type: 'story', title: body } : { type: 'comment', text: body }),
    points: engagements.favoriteCount,
  }
  return { ...made, post }
}

/** How stories and comments are made up. */
export const technewsPosts = makeUp('technews', make, [8, 45])

/**
 * Searches stories and comments. Request and response are made up. It takes `query`, `cursor` and `count` up to 20, and
 * returns `posts` and the `meta` of the documented search by cursor.
 */
export function searchTechnews(store: PostStore<IndexedStory>, corpusId: string, input: unknown) {
  const query = requiredText(input, 'query')
  const request = { ...pageIn(input, pageSize), search: ['technews', corpusId, query], now: store.now() }
  const { page, meta } = pageOf(request, (moment) => store.find(query, moment))
  return { posts: page.map(({ item }) => item.post), meta }
}

import { type Author, authors } from '../cast.ts'
import { pageOf } from '../pages.ts'
import { requiredText, textIn } from '../params.ts'
import { createRandom, hash } from '../random.ts'
import { SandboxError } from '../responses.ts'
import { commentBy } from './comments-reactions.ts'
import type { Network, NetworkPost } from './network.ts'

/** Records on a full page; `count` is ignored, as documented. */
const pageSize = 20

/**
 * Fetches a page of a person's posts. Request and response are made up, except the ignored `count`: the service documents
 * neither. It takes `profileUrl` and `cursor`, and returns `posts` as a search does, and the `meta` of a search by cursor.
 */
export function postsOf(network: Network, input: unknown) {
  return pageAbout('posts', network, input, (person, posts) =>
    posts.filter(({ author }) => author === person).map(({ post }) => post),
  )
}

/** Fetches a page of a person's comments; made up as {@link postsOf} is, with those of a post as `comments`. */
export function commentsOf(network: Network, input: unknown) {
  return pageAbout('comments', network, input, (person, posts, now) =>
    posts
      .filter(({ post }) => hash(`${person.handle} on ${post.urn}`) % 40 === 0)
      .map((post) => {
        const random = createRandom(`${network.seed}/comment of ${person.handle} on ${post.post.urn}`)
        return commentBy(random, person, post, 1000 * random.integer(60, 90_000), now)
      }),
  )
}

function pageAbout(
  property: string,
  { seed, store }: Network,
  input: unknown,
  list: (person: Author, posts: readonly NetworkPost[], now: number) => readonly object[],
) {
  const url = requiredText(input, 'profileUrl')
  const request = { cursor: textIn(input, 'cursor'), count: pageSize, now: store.now() }
  const { page, meta } = pageOf({ ...request, search: [property, seed, url] }, (moment) => {
    const person = authors.get(/\/in\/([^/?#]+)/.exec(url.toLowerCase())?.[1] ?? '')
    if (person === undefined) throw new SandboxError(404, { message: `No profile at ${url}` })
    return list(person, store.all(moment), moment.at)
  })
  return { [property]: page, meta }
}

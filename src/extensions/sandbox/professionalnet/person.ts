import { composeReply } from '../compose-post.ts'
import { pageOf } from '../pages.ts'
import { requiredText, textIn } from '../params.ts'
import { createRandom, hash } from '../random.ts'
import { SandboxError } from '../responses.ts'
import { type Person, membersOf } from './members.ts'
import type { Network, NetworkPost } from './network.ts'

/** Records on a full page; `count` is ignored, as documented. */
const pageSize = 20

/**
 * Fetches a page of a person's posts. Request and response are made up, except the ignored `count`:
 * the service documents neither. It takes `profileUrl` and `cursor`, and returns `posts` and the `meta` of a search by cursor.
 */
export function postsOf(network: Network, input: unknown) {
  return pageAbout('posts', network, input, (person, posts) =>
    posts
      .filter((post) => post.person?.url === person.url)
      .map(({ post }) => ({
        urn: post.urn,
        url: post.share_url,
        authorUrn: person.urn,
        authorName: person.name,
        text: post.commentary,
        postedAt: post.postedAt,
        numLikes: post.social_details.numLikes,
        numComments: post.social_details.numComments,
      })),
  )
}

/** Fetches a page of a person's comments; made up as {@link postsOf} is, with `comments` in place of `posts`. */
export function commentsOf(network: Network, input: unknown) {
  return pageAbout('comments', network, input, ({ handle, urn }, posts, now) => {
    const verbosity = hash(handle) % 60
    return posts.flatMap(({ post, at, topic, activity }) => {
      const random = createRandom(`${network.seed}/comment of ${handle} on ${activity}`)
      if (random.integer(1, 1000) > verbosity) return []
      const time = at + 1000 * random.integer(60, 90_000)
      if (time > now) return []
      return {
        permalink: `${post.share_url}?comment=${time / 1000}${random.hex(4)}`,
        postUrl: post.share_url,
        authorUrn: urn,
        text: composeReply(random, topic),
        timestamp: new Date(time).toISOString(),
      }
    })
  })
}

function pageAbout(
  property: string,
  { seed, store }: Network,
  input: unknown,
  list: (person: Person, posts: readonly NetworkPost[], now: number) => readonly object[],
) {
  const url = requiredText(input, 'profileUrl')
  const request = { cursor: textIn(input, 'cursor'), count: pageSize, now: store.now() }
  const { page, meta } = pageOf({ ...request, search: [property, seed, url] }, (moment) => {
    const handle = /\/in\/([^/?#]+)/.exec(url.toLowerCase())?.[1]
    const person = membersOf(seed).people.find((each) => each.handle === handle)
    if (person === undefined) throw new SandboxError(404, { message: `No profile at ${url}` })
    return list(person, store.all(moment), moment.at)
  })
  return { [property]: page, meta }
}

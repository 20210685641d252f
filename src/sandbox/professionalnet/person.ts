import type { Outcome } from '../responses.ts'
import { composeReply } from '../compose-post.ts'
import { pageFrom, startOf } from '../pages.ts'
import { createParams } from '../params.ts'
import { english } from '../phrases/languages.ts'
import { createRandom, hash } from '../random.ts'
import { findPerson } from './lookup.ts'
import type { Network, NetworkAt } from './network.ts'
import type { Person } from './people.ts'

/** Records on a full page; `count` is ignored, as documented. */
const pageSize = 20

/**
 * Fetches a page of a person's posts. Request and response are made up, except the ignored `count`:
 * the service documents neither. It takes `profileUrl` and `cursor`, and returns `posts` and the `meta` of a search by cursor.
 */
export function postsOf(networkAt: NetworkAt, input: unknown): Outcome {
  return pageAbout('posts', networkAt, input, ({ posts }, person) =>
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
export function commentsOf(networkAt: NetworkAt, input: unknown): Outcome {
  return pageAbout('comments', networkAt, input, ({ seed, posts }, person) => {
    const verbosity = hash(person.handle) % 60
    return posts.flatMap(({ post, at, topic, activity }) => {
      const random = createRandom(`${seed}/comment of ${person.handle} on ${activity}`)
      if (random.integer(1, 1000) > verbosity) return []
      const time = at + 1000 * random.integer(60, 90_000)
      return {
        permalink: `${post.share_url}?comment=${time / 1000}${random.hex(4)}`,
        postUrl: post.share_url,
        authorUrn: person.urn,
        text: composeReply(random, english, topic),
        timestamp: new Date(time).toISOString(),
      }
    })
  })
}

function pageAbout(
  property: string,
  networkAt: NetworkAt,
  input: unknown,
  list: (network: Network, person: Person) => readonly object[],
): Outcome {
  const network = networkAt()
  const params = createParams(input)
  const profileUrl = params.requiredText('profileUrl')
  const search = JSON.stringify([property, network.seed, profileUrl])
  const start = startOf(params.text('cursor'), search, params.issues, network.moment)
  if (params.issues.length > 0) return { issues: params.issues }

  const person = findPerson(network, profileUrl)
  if (person === undefined) return { missing: `No profile at ${profileUrl}` }
  const { page, meta } = pageFrom(list(networkAt(start), person), { start, count: pageSize, search })
  return { body: { [property]: page, meta } }
}

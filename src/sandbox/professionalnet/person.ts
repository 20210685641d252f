import type { Outcome } from '../responses.ts'
import { composeReply } from '../compose-post.ts'
import { pageFrom, startOf } from '../pages.ts'
import { createParams } from '../params.ts'
import { english } from '../phrases/languages.ts'
import { createRandom } from '../random.ts'
import { findPerson } from './lookup.ts'
import type { Network } from './network.ts'
import type { Person } from './people.ts'

/** Records on a full page; `count` is ignored, as documented. */
const pageSize = 20

/**
 * Fetches a page of a person's posts. Request and response are made up, except the ignored `count`:
 * the service documents neither. It takes `profileUrl` and `cursor`, and returns `posts` and the `meta` of a search by cursor.
 */
export function postsOf(network: Network, input: unknown): Outcome {
  return pageAbout('posts', network, input, (person) =>
    network.posts
      .filter((post) => post.person === person)
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
export function commentsOf(network: Network, input: unknown): Outcome {
  return pageAbout('comments', network, input, (person) => {
    const random = createRandom(`${network.seed}/comments-of/${person.handle}`)
    if (network.posts.length === 0) return []
    return Array.from({ length: random.integer(0, 70) }, () => {
      const { post, at, topic } = random.pick(network.posts)
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
  network: Network,
  input: unknown,
  list: (person: Person) => readonly object[],
): Outcome {
  const params = createParams(input)
  const profileUrl = params.requiredText('profileUrl')
  const search = JSON.stringify([property, network.seed, profileUrl])
  const offset = startOf(params.text('cursor'), search, params.issues)
  if (params.issues.length > 0) return { issues: params.issues }

  const person = findPerson(network, profileUrl)
  if (person === undefined) return { missing: `No profile at ${profileUrl}` }
  const { page, meta } = pageFrom(list(person), { offset, count: pageSize, search })
  return { body: { [property]: page, meta } }
}

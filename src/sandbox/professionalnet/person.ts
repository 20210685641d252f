import { composeReply } from '../compose-post.ts'
import { pageOf } from '../pages.ts'
import { Params } from '../params.ts'
import { english } from '../phrases/languages.ts'
import { createRandom, hash } from '../random.ts'
import { Refusal } from '../responses.ts'
import type { Network, NetworkAt } from './network.ts'
import type { Person } from './people.ts'

/** Records on a full page; `count` is ignored, as documented. */
const pageSize = 20

/**
 * Fetches a page of a person's posts. Request and response are made up, except the ignored `count`:
 * the service documents neither. It takes `profileUrl` and `cursor`, and returns `posts` and the `meta` of a search by cursor.
 */
export function postsOf(networkAt: NetworkAt, input: unknown) {
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
export function commentsOf(networkAt: NetworkAt, input: unknown) {
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
) {
  const params = new Params(input)
  const profileUrl = params.requiredText('profileUrl')
  const { seed, moment, people } = networkAt()
  const request = { cursor: params.text('cursor'), count: pageSize, issues: params.issues, now: moment }
  const { page, meta } = pageOf({ ...request, search: [property, seed, profileUrl] }, (moment) => {
    const handle = /\/in\/([^/?#]+)/.exec(profileUrl.toLowerCase())?.[1]
    const person = people.find((each) => each.handle === handle)
    if (person === undefined) throw new Refusal(404, { message: `No profile at ${profileUrl}` })
    return list(networkAt(moment), person)
  })
  return { [property]: page, meta }
}

import { storyBefore } from '../../examples/dashboard/story.ts'
import { type SandboxOptions, createSandbox } from '../support/sandbox.ts'
import { type MicroblogPost, SocialSearch } from '../../src/index.ts'

const day = 86_400_000

/** All posts that the example's sandbox has about two words, newest first, as the service sends them. */
export async function storyOf(seed: number, now: string, options: SandboxOptions = {}) {
  const sandbox = createSandbox({ seed, now: new Date(now), limits: { perMinute: false }, ...options })
  sandbox.publish(storyBefore(new Date(now), seed))
  const client = new SocialSearch(sandbox.clientOptions())
  const all = (query: string) =>
    client.microblog.search({ query, category: 'Latest' }).toArray({ limit: 1000 })
  return { react: await all('react'), vue: await all('vue') }
}

/** What the page has to say, computed from all posts of two searches of which so many are loaded. */
export function expected(sides: MicroblogPost[][], loaded: number[], now: string, days = 28) {
  const end = Date.parse(now.slice(0, 10)) + day
  const at = (post: MicroblogPost | undefined) => Date.parse(post?.timestamp ?? '')
  const starts = sides.map((posts, i) => (loaded[i]! < posts.length ? at(posts[loaded[i]! - 1]) : -Infinity))
  const from = Math.max(end - days * day, ...starts)
  const counted = sides.map((posts) => posts.filter((post) => at(post) >= from && at(post) < end))
  const total = (posts: MicroblogPost[], of: (post: MicroblogPost) => number) =>
    posts.map(of).reduce((a, b) => a + b, 0)
  const numbersOf = (posts: MicroblogPost[]) => ({
    posts: posts.length,
    views: total(posts, ({ engagements }) => engagements.viewsCount),
    engagement: total(
      posts,
      ({ engagements: e }) => e.favoriteCount + e.retweetCount + e.quoteCount + e.replyCount,
    ),
    authors: new Set(posts.map(({ author }) => author)).size,
  })
  return { from, counted, numbers: counted.map(numbersOf) }
}

/** Who leads by more than five points of the sum: 0, 1, or null. */
export function leaderBy(numbers: number[]): 0 | 1 | null {
  const [a = 0, b = 0] = numbers
  const points = a + b === 0 ? 0 : (100 * a) / (a + b) - (100 * b) / (a + b)
  // Five points exactly are too close; the sums are whole numbers, so a billionth only evens out the division.
  return Math.abs(points) < 5 + 1e-9 ? null : points > 0 ? 0 : 1
}

import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import {
  type CallOptions,
  type MicroblogSearchParams,
  type PagedOptions,
  type ProfessionalnetPostsSearchParams,
  SocialSearch,
  isSocialSearchError,
} from '../../src/index.ts'
import { type Sandbox, createSandbox } from '../../src/sandbox/index.ts'
import { pass, settle, virtualTime } from '../support/clock.ts'
import { announced, faultsOfServers, inject, scheduleOf } from '../support/fault-schedule.ts'
import { miscounts } from '../support/ledger.ts'

virtualTime()

const schedule = scheduleOf(
  fc.oneof(
    fc.constantFrom(...faultsOfServers),
    announced(90),
    fc.record({ status: fc.constantFrom(429, 500, 502, 503, 504) }),
  ),
)

let runs = 0
/** A walk delivers the same posts at each time. */
const now = new Date('2026-11-20T18:00:00Z')

const connect = ({ baseUrl, apiKey, fetch }: Sandbox, organization: string) =>
  new SocialSearch({ baseUrl, apiKey, fetch, organization })

/** Something of the sandbox that exists, to ask about. */
const postUrl = 'https://professionalnet.example/posts/none'
const calls: Record<string, (client: SocialSearch, options: PagedOptions) => PromiseLike<unknown>> = {
  'microblog.search': (client, options) => client.microblog.search({ query: 'coffee' }, options),
  'professionalnet.posts.search': (client, options) =>
    client.professionalnet.posts.search({ query: 'data' }, options),
  'professionalnet.posts.comments': (client, options) => comments(client, options),
  'professionalnet.posts.reactions': (client, options) => reactions(client, options),
  'professionalnet.company.get': (client, options) =>
    client.professionalnet.company.get({ url: postUrl }, options),
  'professionalnet.person.posts': (client, options) => person(client, options, 'posts'),
  'professionalnet.person.comments': (client, options) => person(client, options, 'comments'),
  'technews.search': (client, options) => client.technews.search({ query: 'data' }, options),
}

async function somePost(client: SocialSearch, options: CallOptions) {
  const { posts } = await client.professionalnet.posts.search({ query: 'data' }, options)
  return posts[0]!
}

async function comments(client: SocialSearch, options: CallOptions): Promise<unknown> {
  const { share_url } = await somePost(client, options)
  return client.professionalnet.posts.comments({ postUrl: share_url }, options)
}

async function reactions(client: SocialSearch, options: CallOptions): Promise<unknown> {
  const { share_url } = await somePost(client, options)
  return client.professionalnet.posts.reactions({ postUrl: share_url }, options)
}

async function person(
  client: SocialSearch,
  options: CallOptions,
  what: 'posts' | 'comments',
): Promise<unknown> {
  const post = await somePost(client, options)
  const { reactions } = await client.professionalnet.posts.reactions({ postUrl: post.share_url }, options)
  return client.professionalnet.person[what]({ profileUrl: reactions[0]?.['profileUrl'] }, options)
}

describe('with any schedule of faults', () => {
  it.each(Object.keys(calls))('%s() counts the charged credits, and leaves nothing pending', async (name) => {
    await fc.assert(
      fc.asyncProperty(schedule, fc.boolean(), async (faults, ambiguous) => {
        const sandbox = createSandbox({ posts: 300 })
        inject(sandbox, faults)
        const client = connect(sandbox, `account ${++runs}`)
        const made = Array.from({ length: 4 }, () =>
          calls[name]!(client, { retry: { ambiguous } }).then(undefined, () => {}),
        )
        await settle(Promise.all(made))
        expect(miscounts(client.credits, sandbox.ledger.spent)).toEqual([])
        expect(Math.max(0, ...sandbox.requests.map(({ inFlight }) => inFlight))).toBeLessThanOrEqual(2)
        await pass(50)
        expect(vi.getTimerCount()).toBe(0)
      }),
      { numRuns: 15, seed: 7 },
    )
  })

  type Pages = AsyncIterable<{ posts: unknown[] }>
  const walks: Record<string, { params: object; pages(client: SocialSearch, from: object): Pages }> = {
    'microblog.search': {
      params: { query: 'coffee', count: 4 },
      pages: (client, from) => client.microblog.search(from as MicroblogSearchParams).pages(),
    },
    'professionalnet.posts.search': {
      params: { query: 'the' },
      pages: (client, from) =>
        client.professionalnet.posts.search(from as ProfessionalnetPostsSearchParams).pages(),
    },
  }

  it.each(Object.entries(walks))(
    '%s() delivers each item exactly once when it resumes from next',
    async (_, walk) => {
      const all = async (pages: Pages) => {
        const posts: unknown[] = []
        for await (const page of pages) posts.push(...page.posts)
        return posts
      }
      const calm = createSandbox({ now, posts: 600, limits: { perMinute: false } })
      const { value: expected } = await settle(all(walk.pages(connect(calm, `calm ${++runs}`), walk.params)))
      expect(expected!.length).toBeGreaterThan(20)
      await fc.assert(
        fc.asyncProperty(schedule, async (faults) => {
          const sandbox = createSandbox({ now, posts: 600 })
          inject(sandbox, faults)
          const client = connect(sandbox, `walk ${++runs}`)
          const delivered: unknown[] = []
          const walkFrom = async (start: object): Promise<object | null> => {
            try {
              for await (const { posts } of walk.pages(client, start)) delivered.push(...posts)
              return null
            } catch (error) {
              if (!isSocialSearchError(error)) throw error
              if (error.code === 'rate_limited') await new Promise((resolve) => setTimeout(resolve, 90_000))
              return JSON.parse(JSON.stringify(error.next)) as object
            }
          }
          let start: object | null = walk.params
          for (let parts = 0; start !== null && parts < 20; parts++)
            start = (await settle(walkFrom(start))).value ?? null
          expect(delivered).toEqual(expected)
          // A page that was charged twice can only be one whose first answer was lost.
          const lost = sandbox.requests.filter(({ status, charged }) => charged > 0 && status !== 200).length
          const bought = sandbox.requests
            .filter(({ charged, status }) => charged > 0 && status === 200)
            .map(({ body }) => JSON.stringify(body))
          expect(bought.length - new Set(bought).size).toBeLessThanOrEqual(faults.length)
          expect(lost).toBeLessThanOrEqual(faults.length)
        }),
        { numRuns: 20, seed: 7 },
      )
    },
  )
})

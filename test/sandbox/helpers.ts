import { microblogSearch } from '../../src/api/endpoints/microblog.ts'
import { SocialSearch } from '../../src/index.ts'
import { type Sandbox, type SandboxOptions, createSandbox } from '../support/sandbox.ts'
import { networkPosts } from '../../src/extensions/sandbox/network.ts'

/** Where the clock of a sandbox stands at first in these tests. */
export const now = new Date('2026-11-20T18:00:00Z')

export const day = 86_400_000

/** More items than any walk of these tests has. */
export const all = { limit: 10_000 }

/** A sandbox without a rate limit, the clock that it reads, and a client, which checks that each answer is as documented. */
export function setUp(options: SandboxOptions = {}) {
  const clock = { time: Number(now) }
  const sandbox = createSandbox({ now: () => clock.time, limits: { perMinute: false }, ...options })
  return { clock, sandbox, client: new SocialSearch(sandbox.clientOptions()) }
}

/** The made-up posts on the professional network of such a sandbox. */
export const networkPostsOf = (seed: number) => networkPosts.timeline(seed, 1000, now.getTime())

/** What a search finds on each network, the newest first, and the ids of that. */
export async function findOn(
  { microblog, professionalnet, technews }: SocialSearch,
  query: string,
  limit = all,
) {
  const posts = await microblog.search({ query, category: 'Latest' }).toArray(limit)
  const networkPosts = await professionalnet.posts.search({ query }).toArray(limit)
  const stories = await technews.search({ query }).toArray(limit)
  const ids = [posts.map(({ id }) => id), networkPosts.map(({ urn }) => urn), stories.map(({ id }) => id)]
  return { ids, found: [posts, networkPosts, stories] as const }
}

/** A parsed JSON object, whose shape the assertions state. */
export type Json = Record<string, ReturnType<typeof JSON.parse>>

interface Sending {
  /** Default the key of the sandbox. */
  key?: string
  authorization?: string
  signal?: AbortSignal
}
type Address = Pick<Sandbox, 'baseUrl' | 'apiKey'>

export const searching = `POST ${microblogSearch.path}`

/** A request of any operation: `GET /mentions?count=3`. A body is sent as JSON, or as it is if it is a text. */
function requestOf(
  { baseUrl, apiKey }: Address,
  operation: string,
  body?: unknown,
  { key = apiKey, authorization = `Bearer ${key}`, signal }: Sending = {},
): Request {
  const [method = '', path = ''] = operation.split(' ')
  return new Request(baseUrl + path, {
    method,
    headers: { authorization, 'content-type': 'application/json' },
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    ...(signal && { signal }),
  })
}

/** A search for microblog posts, with any params. */
export const searchRequest = (sandbox: Address, params: unknown, sending?: Sending): Request =>
  requestOf(sandbox, searching, params, sending)

/** Sends a request of any operation as {@link requestOf} makes it. */
export async function call(
  sandbox: Pick<Sandbox, 'baseUrl' | 'apiKey' | 'fetch'>,
  operation: string,
  body?: unknown,
  sending?: Sending,
) {
  const response = await sandbox.fetch(requestOf(sandbox, operation, body, sending))
  return { status: response.status, headers: response.headers, body: (await response.json()) as Json }
}

/** Sends a search for microblog posts, with any params. */
export const search = (sandbox: Sandbox, params: unknown, sending?: Sending) =>
  call(sandbox, searching, params, sending)

/** The paths of the issues that an answer names. */
export function issuesOf({ body }: { body: Json }): string[] {
  const issues = body['error']?.issues as { path: string }[] | undefined
  return (issues ?? []).map(({ path }) => path)
}

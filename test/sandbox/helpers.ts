import type { ServiceError } from '../../src/api/error-envelope.ts'
import type { MicroblogPost, MicroblogSearchBody, MicroblogSearchParams } from '../../src/api/microblog.ts'
import { membersOf } from '../../src/sandbox/professionalnet/members.ts'
import { networkPosts } from '../../src/sandbox/professionalnet/network.ts'
import { type Sandbox, type SandboxOptions, createSandbox } from '../../src/sandbox/index.ts'

export const searchPath = '/data/microblog/tweets/search'

export interface Answer<Body> {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

/** Where the clock of a sandbox stands in these tests. */
export const now = new Date('2026-11-20T18:00:00Z')

/** A sandbox without a pace, for tests that send more than twenty requests; its clock stands still. */
export function unpaced(options: Omit<SandboxOptions, 'limits'> = {}): Sandbox {
  return createSandbox({ now, ...options, limits: { perMinute: false } })
}

/** The professional network of such a sandbox. */
export function networkOf(seed: number) {
  return { ...membersOf(seed), posts: networkPosts.latest(seed, 1000)(now.getTime()) }
}

/** A parsed JSON object, whose shape the assertions state. */
export type Json = Record<string, ReturnType<typeof JSON.parse>>

/** Calls any operation: `GET /mentions?limit=3`. A body makes it a request with JSON. */
export async function call<Body = Json>(
  sandbox: Pick<Sandbox, 'baseUrl' | 'apiKey' | 'fetch'>,
  operation: string,
  body?: unknown,
  key: string = sandbox.apiKey,
): Promise<Answer<Body>> {
  const [method = '', path = ''] = operation.split(' ')
  const request = new Request(sandbox.baseUrl + path, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  })
  return read(await sandbox.fetch(request))
}

export function searchRequest(
  sandbox: Pick<Sandbox, 'baseUrl' | 'apiKey'>,
  params: unknown,
  {
    authorization = `Bearer ${sandbox.apiKey}`,
    signal,
  }: { authorization?: string; signal?: AbortSignal } = {},
): Request {
  return new Request(sandbox.baseUrl + searchPath, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: typeof params === 'string' ? params : JSON.stringify(params),
    ...(signal && { signal }),
  })
}

/** Sends any params, and reads the response as a page. */
export async function search(
  sandbox: Sandbox,
  params: unknown,
  options: { authorization?: string; signal?: AbortSignal } = {},
): Promise<Answer<MicroblogSearchBody>> {
  return read(await sandbox.fetch(searchRequest(sandbox, params, options)))
}

/** Sends any params, and reads the response as an error. */
export async function refused(
  sandbox: Sandbox,
  params: unknown,
  options: { authorization?: string } = {},
): Promise<Answer<{ requestId: string; error: ServiceError & { retryAfter?: number } }>> {
  return read(await sandbox.fetch(searchRequest(sandbox, params, options)))
}

async function read<Body>(response: Response): Promise<Answer<Body>> {
  return { status: response.status, headers: response.headers, body: (await response.json()) as Body }
}

/** All posts of a search from its cursor on, page by page; `counts` gives the size of each page in turn. */
export async function walk(
  sandbox: Sandbox,
  params: MicroblogSearchParams,
  counts: readonly number[] = [20],
): Promise<MicroblogPost[]> {
  const posts: MicroblogPost[] = []
  let { cursor } = params
  for (let page = 0; ; page++) {
    const count = counts[page % counts.length]
    const { status, body } = await search(sandbox, { ...params, cursor, count })
    if (status !== 200) throw new Error(`walk() got ${status} on page ${page}: ${JSON.stringify(body)}`)
    posts.push(...body.posts)
    if (!body.meta.hasMore) return posts
    cursor = body.meta.nextCursor
  }
}

import type { ErrorEnvelope } from '../../src/contract/error-envelope.ts'
import type {
  MicroblogPost,
  MicroblogSearchBody,
  MicroblogSearchParams,
} from '../../src/contract/microblog.ts'
import { type Sandbox, createSandbox } from '../../src/sandbox/index.ts'

export const searchPath = '/data/microblog/tweets/search'

export interface Answer<Body> {
  readonly status: number
  readonly headers: Headers
  readonly body: Body
}

/** A sandbox without a pace, for tests that send more than twenty requests. */
export function unpaced(): Sandbox {
  return createSandbox({ limits: { perMinute: false } })
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

/** Sends whatever it is given, and reads the answer as a page. */
export async function search(
  sandbox: Sandbox,
  params: unknown,
  options: { authorization?: string; signal?: AbortSignal } = {},
): Promise<Answer<MicroblogSearchBody>> {
  return read(await sandbox.fetch(searchRequest(sandbox, params, options)))
}

/** Sends whatever it is given, and reads the answer as an error. */
export async function refused(
  sandbox: Sandbox,
  params: unknown,
  options: { authorization?: string } = {},
): Promise<Answer<ErrorEnvelope>> {
  return read(await sandbox.fetch(searchRequest(sandbox, params, options)))
}

async function read<Body>(response: Response): Promise<Answer<Body>> {
  return { status: response.status, headers: response.headers, body: (await response.json()) as Body }
}

/** All posts of a search, page by page; `counts` gives the size of each page in turn. */
export async function walk(
  sandbox: Sandbox,
  params: MicroblogSearchParams,
  counts: readonly number[] = [20],
): Promise<MicroblogPost[]> {
  const posts: MicroblogPost[] = []
  let cursor: string | undefined
  for (let page = 0; ; page++) {
    const count = counts[page % counts.length]
    const { status, body } = await search(sandbox, { ...params, cursor, count })
    if (status !== 200) throw new Error(`walk() got ${status} on page ${page}: ${JSON.stringify(body)}`)
    posts.push(...body.posts)
    if (!body.meta.hasMore) return posts
    cursor = body.meta.nextCursor
  }
}

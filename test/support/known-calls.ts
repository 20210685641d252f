import { clientTransport } from '../../src/core/call/transport.ts'
import type { Operation, Scope } from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import { SocialSearch } from '../../src/index.ts'
import { createSandbox } from '../../src/extensions/sandbox/index.ts'

export const apiKey = 'org_live_5f2b8c1d9e'
const reads = ['mentions:read', 'listeners:read', 'feeds:read', 'org:read', 'search:read'] as const
const scopes: readonly Scope[] = [...reads, 'mentions:write']
const all: readonly Operation[] = operations

/** A call that the sandbox has answered with a success. */
export interface KnownCall {
  readonly operation: Operation
  readonly params: Record<string, unknown>
  /** The id in the path. */
  readonly id: string | undefined
  readonly body: Record<string, unknown>
  /** What it cost, in credits. */
  readonly charge: number
}

/** Makes one call of each operation. */
export async function knownCalls(): Promise<KnownCall[]> {
  const sandbox = createSandbox({ keys: [{ key: apiKey, scopes }], limits: { perMinute: false } })
  const { baseUrl, fetch } = sandbox
  const client = new SocialSearch({ baseUrl, apiKey, fetch, limits: { perMinute: false } })
  const { posts } = await client.professionalnet.posts.search({ query: 'data' })
  const postUrl = posts[0]?.share_url
  const { reactions } = await client.professionalnet.posts.reactions({ postUrl })
  const [first] = reactions as { profileUrl: string }[]
  const profileUrl = first?.profileUrl
  const params: Record<string, Record<string, unknown>> = {
    'microblog.search': { query: 'data' },
    'professionalnet.posts.search': { query: 'data' },
    'professionalnet.company.get': { url: 'https://professionalnet.example/company/candlemere-lighting' },
    'professionalnet.person.posts': { profileUrl },
    'professionalnet.person.comments': { profileUrl },
    'professionalnet.posts.comments': { postUrl },
    'professionalnet.posts.reactions': { postUrl },
    'technews.search': { query: 'data' },
    'mentions.setState': { state: 'done' },
  }
  const known: KnownCall[] = []
  for (const operation of all) {
    const own = params[operation.id] ?? {}
    const list = operation.path.split('/')[1] ?? ''
    const of = known.find((each) => each.operation.path === `/${list}`)?.body[list] as { id: string }[]
    const id = operation.pathId && of[0]?.id
    const before = sandbox.ledger.spent
    const { text } = await clientTransport(client.transport).request(operation, own, undefined, id)
    const body = JSON.parse(text) as Record<string, unknown>
    known.push({ operation, params: own, id, body, charge: sandbox.ledger.spent - before })
  }
  return known
}

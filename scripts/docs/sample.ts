import type { Operation } from '../../src/api/operation.ts'
import { createHandlers, resolveOptions } from '../../src/extensions/sandbox/service.ts'

const settings = resolveOptions({ now: new Date('2026-01-15T09:00:00Z') })
const handlers: object = createHandlers(settings, { spent: 0, byOperation: {} })

/** The response of the sandbox to an operation, of a list the first record; null if it is not worth showing. */
export function sampleOf({ id, list, pathId }: Operation): string | null {
  if (id === 'openapi') return null
  const [resource = ''] = id.split('.')
  const record = pathId === undefined ? undefined : firstOf(`${resource}.list`, resource)
  const body = respond(id, String(record?.['id']))
  const shown = list === undefined ? body : (body[list] as unknown[])[0]
  return JSON.stringify(shown, null, 2)
}

/** Enough for every operation: handlers ignore what is not theirs. */
function inputFor(id: string): object {
  const query = { query: 'typescript', q: 'software' }
  if (!id.startsWith('professionalnet.') || id === 'professionalnet.posts.search')
    return { ...query, ...(id === 'mentions.setState' && { state: 'seen' }) }
  const posts = respond('professionalnet.posts.search', '')['posts'] as PostAndAuthor[]
  const post = posts.find(
    ({ social_details, actor }) =>
      social_details.numComments > 0 && actor.actor_navigationContext.includes('/in/'),
  )
  const company = posts.find(({ actor }) => actor.actor_navigationContext.includes('/company/'))
  return {
    ...query,
    postUrl: post?.share_url,
    profileUrl: post?.actor.actor_navigationContext,
    url: company?.actor.actor_navigationContext,
  }
}

interface PostAndAuthor {
  share_url: string
  actor: { actor_navigationContext: string }
  social_details: { numComments: number }
}

function firstOf(id: string, list: string): Record<string, unknown> {
  return (respond(id, '')[list] as Record<string, unknown>[])[0] ?? {}
}

function respond(id: string, pathId: string, input = inputFor(id)): Record<string, unknown> {
  const handle = handlers[id as keyof typeof handlers] as (input: object, pathId: string) => object
  return handle(input, pathId) as Record<string, unknown>
}

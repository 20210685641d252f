import type { Operation } from '../../src/api/operation.ts'
import { resolveOptions } from '../../src/extensions/sandbox/options.ts'
import { type Route, createRoutes } from '../../src/extensions/sandbox/routes.ts'

const settings = resolveOptions({ now: new Date('2026-01-15T09:00:00Z') })
const routes = createRoutes(settings, { spent: 0, byOperation: {}, entries: [] })

/** The response of the sandbox to an operation, of a list the first record; null if it is not worth showing. */
export function sampleOf({ id, list, pathId }: Operation): string | null {
  if (id === 'openapi') return null
  const [resource = ''] = id.split('.')
  const record = pathId === undefined ? undefined : firstOf(`${resource}.list`, resource)
  const body = respond(id, String(record?.['id']))
  const shown = list === undefined ? body : (body[list] as unknown[])[0]
  return JSON.stringify(shown, null, 2)
}

/** Enough for every operation: those without documented params ignore the rest. */
function inputFor(id: string): object {
  if (!id.startsWith('professionalnet.'))
    return { query: 'typescript', ...(id === 'mentions.setState' && { state: 'seen' }) }
  const { share_url: postUrl, actor } = firstOf('professionalnet.posts.search', 'posts') as unknown as {
    share_url: string
    actor: { actor_navigationContext: string }
  }
  return { postUrl, profileUrl: actor.actor_navigationContext }
}

function firstOf(id: string, list: string): Record<string, unknown> {
  return (respond(id, '', { query: 'typescript' })[list] as Record<string, unknown>[])[0] ?? {}
}

function respond(id: string, pathId: string, input = inputFor(id)): Record<string, unknown> {
  const route = routes.find(({ operation }) => operation.id === id) as Route
  return route.handle(input, pathId) as Record<string, unknown>
}

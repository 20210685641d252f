import type { MicroblogSearchParams, PagedOptions } from '../../src/index.ts'
import type { SchemaOption } from '../../src/core/options/options.ts'
import { page } from './pages.ts'
import { makeClient, ok } from './service.ts'

/** Three pages of five posts, as a service that has been scripted with them answers. */
export const threePages = (): Response[] => [
  ok(page(['1', '2'], 'A')),
  ok(page(['3', '4'], 'B')),
  ok(page(['5'])),
]

/** A search by a new client. */
export const search = (
  options?: PagedOptions & Partial<SchemaOption>,
  params: MicroblogSearchParams = { query: 'rust' },
) => makeClient().microblog.search(params, options as PagedOptions)

/** What a test searches for, if it does not matter. */
export const query = { query: 'rust' }

export const idsOf = (posts: { id: string }[]): string[] => posts.map(({ id }) => id)

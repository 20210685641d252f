import { unnamedRates } from './credits.ts'
import { openBody, openCursor, openParams } from './open.ts'
import type { Operation } from './operation.ts'

/** POST /data/technews/search (service description, parts 4.1 and 4.7). */
export const technewsSearch = {
  id: 'technews.search',
  summary: 'find stories and comments on the tech news site',
  method: 'POST',
  path: '/data/technews/search',
  scopes: ['search:read'],
  surface: 'technews',
  price: { kind: 'perRequest', credits: unnamedRates.technewsSearch, rate: null },
  documented: false,
  request: openParams,
  response: openBody,
  list: { property: 'posts', item: null },
  paging: openCursor,
} as const satisfies Operation

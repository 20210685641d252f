import { undocumentedSearch } from './undocumented.ts'
import type { Operation } from './operation.ts'

/** POST /data/technews/search (service description, parts 4.1 and 4.7). */
export const technewsSearch = {
  ...undocumentedSearch,
  id: 'technews.search',
  summary: 'find stories and comments on the tech news site',
  path: '/data/technews/search',
  surface: 'technews',
  price: { kind: 'perRequest', credits: 2, rate: null },
  list: 'posts',
} as const satisfies Operation

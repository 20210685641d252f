import { undocumentedSearch } from './undocumented.ts'
import type { Operation } from '../operation.ts'

export const technewsSearch = {
  ...undocumentedSearch,
  id: 'technews.search',
  summary: 'find stories and comments on the tech news site',
  path: '/data/technews/search',
  surface: 'technews',
  price: { kind: 'perRequest', credits: 2, rate: null },
  list: 'posts',
} as const satisfies Operation

import { inferredCursor, undocumentedRead } from './undocumented.ts'
import { type Operation, prefixedId } from '../operation.ts'

export const feedsList = {
  ...undocumentedRead,
  id: 'feeds.list',
  summary: "list the organization's saved views",
  path: '/feeds',
  scopes: ['feeds:read'],
  list: 'feeds',
  unique: 'id',
  uniquePrefix: 'svw_',
  paging: inferredCursor,
} as const satisfies Operation

export const feedsGet = {
  ...undocumentedRead,
  id: 'feeds.get',
  summary: 'get a feed by its id',
  path: '/feeds/{id}',
  pathId: prefixedId('svw_'),
  scopes: ['feeds:read'],
} as const satisfies Operation

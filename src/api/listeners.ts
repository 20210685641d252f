import { inferredCursor, undocumentedRead } from './undocumented.ts'
import type { Operation } from './operation.ts'
import { prefixedId } from './path-id.ts'

/** GET /listeners (service description, parts 4.1 and 4.7). */
export const listenersList = {
  ...undocumentedRead,
  id: 'listeners.list',
  path: '/listeners',
  scopes: ['listeners:read'],
  list: 'listeners',
  paging: inferredCursor,
} as const satisfies Operation

/** GET /listeners/{id} (service description, parts 4.1 and 4.7). */
export const listenersGet = {
  ...undocumentedRead,
  id: 'listeners.get',
  path: '/listeners/{id}',
  pathId: prefixedId('lis_'),
  scopes: ['listeners:read'],
} as const satisfies Operation

import { inferredCursor, undocumentedRead } from './undocumented.ts'
import { type Operation, prefixedId } from '../operation.ts'

export const listenersList = {
  ...undocumentedRead,
  id: 'listeners.list',
  summary: 'list the brand and keyword monitors',
  path: '/listeners',
  scopes: ['listeners:read'],
  list: 'listeners',
  unique: 'id',
  uniquePrefix: 'lis_',
  paging: inferredCursor,
} as const satisfies Operation

export const listenersGet = {
  ...undocumentedRead,
  id: 'listeners.get',
  summary: 'get a listener by its id',
  path: '/listeners/{id}',
  pathId: prefixedId('lis_'),
  scopes: ['listeners:read'],
} as const satisfies Operation

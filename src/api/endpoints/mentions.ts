import { inferredCursor, undocumentedRead } from './undocumented.ts'
import { type Operation, prefixedId } from '../operation.ts'

export const mentionsList = {
  ...undocumentedRead,
  id: 'mentions.list',
  summary: 'list the mentions that listeners found',
  path: '/mentions',
  scopes: ['mentions:read'],
  list: 'mentions',
  unique: 'id',
  uniquePrefix: 'men_',
  paging: inferredCursor,
} as const satisfies Operation

export const mentionsGet = {
  ...undocumentedRead,
  id: 'mentions.get',
  summary: 'get a mention by its id',
  path: '/mentions/{id}',
  pathId: prefixedId('men_'),
  scopes: ['mentions:read'],
} as const satisfies Operation

export const mentionsCount = {
  ...undocumentedRead,
  id: 'mentions.count',
  summary: 'count the mentions that match filters',
  path: '/mentions/count',
  scopes: ['mentions:read'],
} as const satisfies Operation

export const mentionsSetState = {
  ...undocumentedRead,
  id: 'mentions.setState',
  summary: 'change the state of a mention',
  method: 'PATCH',
  path: '/mentions/{id}/state',
  pathId: prefixedId('men_'),
  scopes: ['mentions:write', 'mentions:read'],
  mayBeEmpty: true,
} as const satisfies Operation

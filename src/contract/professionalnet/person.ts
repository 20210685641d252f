import { unnamedRates } from '../credits.ts'
import { openBody, openCursor, openParams } from '../open.ts'
import type { Operation } from '../operation.ts'

/** POST /data/professionalnet/person/posts (service description, parts 4.1 and 4.7). */
export const personPosts = {
  id: 'professionalnet.person.posts',
  summary: 'what a person has posted, a page at a time',
  method: 'POST',
  path: '/data/professionalnet/person/posts',
  scopes: ['search:read'],
  surface: 'professionalnet',
  price: { kind: 'perRequest', credits: unnamedRates.personPosts, rate: null },
  documented: false,
  request: openParams,
  response: openBody,
  list: { property: 'posts', item: null },
  paging: openCursor,
} as const satisfies Operation

/** POST /data/professionalnet/person/comments (service description, parts 4.1 and 4.7). */
export const personComments = {
  id: 'professionalnet.person.comments',
  summary: 'what a person has commented, a page at a time',
  method: 'POST',
  path: '/data/professionalnet/person/comments',
  scopes: ['search:read'],
  surface: 'professionalnet',
  price: { kind: 'perRequest', credits: unnamedRates.personComments, rate: null },
  documented: false,
  request: openParams,
  response: openBody,
  list: { property: 'comments', item: null },
  paging: openCursor,
} as const satisfies Operation

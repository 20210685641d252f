import { undocumentedSearch } from '../undocumented.ts'
import type { Operation } from '../../operation.ts'

export const personPosts = {
  ...undocumentedSearch,
  id: 'professionalnet.person.posts',
  summary: 'list the posts of a person',
  path: '/data/professionalnet/person/posts',
  surface: 'professionalnet',
  price: { kind: 'perRequest', credits: 10, rate: null },
  list: 'posts',
} as const satisfies Operation

export const personComments = {
  ...undocumentedSearch,
  id: 'professionalnet.person.comments',
  summary: 'list the comments of a person',
  path: '/data/professionalnet/person/comments',
  surface: 'professionalnet',
  price: { kind: 'perRequest', credits: 10, rate: null },
  list: 'comments',
} as const satisfies Operation

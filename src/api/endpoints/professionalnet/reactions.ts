import { atRate } from '../../price.ts'
import { undocumentedSearch } from '../undocumented.ts'
import type { Operation } from '../../operation.ts'

export const postReactions = {
  ...undocumentedSearch,
  id: 'professionalnet.posts.reactions',
  summary: 'list the reactions on a post',
  path: '/data/professionalnet/posts/reactions',
  surface: 'professionalnet',
  price: { kind: 'perItem', ...atRate('apiLinkedInPostReactionsPerReaction'), bound: null },
  list: 'reactions',
} as const satisfies Operation

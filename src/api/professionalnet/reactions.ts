import { atRate } from '../credits.ts'
import { undocumentedSearch } from '../undocumented.ts'
import type { Operation } from '../operation.ts'

/** POST /data/professionalnet/posts/reactions (service description, parts 4.1 and 4.7). */
export const postReactions = {
  ...undocumentedSearch,
  id: 'professionalnet.posts.reactions',
  summary: 'list the reactions on a post',
  path: '/data/professionalnet/posts/reactions',
  surface: 'professionalnet',
  price: { kind: 'perItem', ...atRate('apiLinkedInPostReactionsPerReaction'), ceiling: null },
  list: 'reactions',
} as const satisfies Operation

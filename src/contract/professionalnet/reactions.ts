import { creditRates } from '../credits.ts'
import { openBody, openCursor, openParams } from '../open.ts'
import type { Operation } from '../operation.ts'

/** POST /data/professionalnet/posts/reactions (service description, parts 4.1 and 4.7). */
export const postReactions = {
  id: 'professionalnet.posts.reactions',
  summary: 'who reacted to a post, and how',
  method: 'POST',
  path: '/data/professionalnet/posts/reactions',
  scopes: ['search:read'],
  surface: 'professionalnet',
  price: {
    kind: 'perItem',
    credits: creditRates.apiLinkedInPostReactionsPerReaction,
    rate: 'apiLinkedInPostReactionsPerReaction',
    ceiling: null,
  },
  documented: false,
  request: openParams,
  response: openBody,
  list: { property: 'reactions', item: null },
  paging: openCursor,
} as const satisfies Operation

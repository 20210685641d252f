import type { ApiCall, PagedCall, SocialSearch } from '../../../src/index.ts'
import { type AnyCallOptions } from '../../../src/core/options/types.ts'

/** What the service's description says of an operation, stated a second time, independently of the package. */
export interface SoakOperation {
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** Below the base URL. */
  readonly path: RegExp
  readonly surface: 'microblog' | 'professionalnet' | 'technews' | null
  /** Credits of a success; `items` for one credit an item; 0 for free. */
  readonly price: number | 'items'
  /** Recommended timeout in milliseconds. */
  readonly timeoutMs: number
  /** Name of the array in the response. */
  readonly list?: string
  readonly paging?: 'cursor' | 'untilEmpty' | 'counted'
  readonly documented: boolean
  /** Params beside the position in the walk. */
  readonly params: object
  /** Params that the documented bounds forbid. */
  readonly invalidParams?: object
  call(client: SocialSearch, params: never, options: never): ApiCall<unknown> | PagedCall<unknown, unknown>
}

type Options = AnyCallOptions & { schema: never }

const url = 'https://professionalnet.example/x'
const plain = { timeoutMs: 30_000, documented: false, params: {} } as const
const free = { ...plain, method: 'GET', price: 0, surface: null } as const
const paid = { ...plain, method: 'POST', paging: 'cursor' } as const
const slow = { timeoutMs: 90_000, documented: true, method: 'POST', surface: 'professionalnet' } as const

export const soakOperations: readonly SoakOperation[] = [
  {
    ...{ id: 'microblog.search', ...paid, surface: 'microblog', price: 2, documented: true },
    ...{ path: /^\/data\/microblog\/tweets\/search$/, list: 'posts' },
    ...{ params: { query: 'rust', category: 'Latest' }, invalidParams: { query: '' } },
    call: (client, params, options: Options) => client.microblog.search(params, options),
  },
  {
    ...{ id: 'professionalnet.posts.search', ...slow, price: 4, list: 'posts', paging: 'untilEmpty' },
    ...{ path: /^\/data\/professionalnet\/posts\/search$/ },
    ...{ params: { query: 'data', sort_by: 'recent' }, invalidParams: { query: 'x', page: 0 } },
    call: (client, params, options: Options) => client.professionalnet.posts.search(params, options),
  },
  {
    ...{ id: 'professionalnet.company.get', ...slow, price: 4, params: { url }, invalidParams: { url: '' } },
    ...{ path: /^\/data\/professionalnet\/company\/get$/ },
    call: (client, params, options: Options) => client.professionalnet.company.get(params, options),
  },
  {
    ...{ id: 'professionalnet.person.posts', ...paid, surface: 'professionalnet', price: 10, list: 'posts' },
    ...{ path: /^\/data\/professionalnet\/person\/posts$/ },
    call: (client, params, options: Options) => client.professionalnet.person.posts(params, options),
  },
  {
    ...{ id: 'professionalnet.person.comments', ...paid, surface: 'professionalnet', price: 10 },
    ...{ path: /^\/data\/professionalnet\/person\/comments$/, list: 'comments' },
    call: (client, params, options: Options) => client.professionalnet.person.comments(params, options),
  },
  {
    ...{ id: 'professionalnet.posts.comments', ...slow, price: 'items', list: 'comments' },
    ...{ path: /^\/data\/professionalnet\/posts\/comments$/ },
    ...{ params: { postUrl: url, maxComments: 150 }, invalidParams: { postUrl: url, maxComments: 1 } },
    call: (client, params, options: Options) => client.professionalnet.posts.comments(params, options),
  },
  {
    ...{ id: 'professionalnet.posts.reactions', ...paid, surface: 'professionalnet', price: 'items' },
    ...{ path: /^\/data\/professionalnet\/posts\/reactions$/, list: 'reactions' },
    call: (client, params, options: Options) => client.professionalnet.posts.reactions(params, options),
  },
  {
    ...{ id: 'professionalnet.industries.list', ...free, list: 'industries', paging: 'counted' },
    ...{ path: /^\/data\/professionalnet\/industries$/, documented: true, invalidParams: { q: '' } },
    call: (client, params, options: Options) => client.professionalnet.industries.list(params, options),
  },
  {
    ...{ id: 'technews.search', ...paid, surface: 'technews', price: 2, list: 'posts' },
    ...{ path: /^\/data\/technews\/search$/ },
    call: (client, params, options: Options) => client.technews.search(params, options),
  },
  {
    ...{ id: 'mentions.list', ...free, path: /^\/mentions$/, list: 'mentions', paging: 'cursor' },
    call: (client, params, options: Options) => client.mentions.list(params, options),
  },
  {
    ...{ id: 'mentions.get', ...free, path: /^\/mentions\/men_1$/ },
    call: (client, _, options: Options) => client.mentions.get('men_1', options),
  },
  {
    ...{ id: 'mentions.count', ...free, path: /^\/mentions\/count$/ },
    call: (client, params, options: Options) => client.mentions.count(params, options),
  },
  {
    ...{ id: 'mentions.setState', ...free, method: 'PATCH', path: /^\/mentions\/men_1\/state$/ },
    params: { state: 'done' },
    call: (client, params, options: Options) => client.mentions.setState('men_1', params, options),
  },
  {
    ...{ id: 'listeners.list', ...free, path: /^\/listeners$/, list: 'listeners', paging: 'cursor' },
    call: (client, params, options: Options) => client.listeners.list(params, options),
  },
  {
    ...{ id: 'listeners.get', ...free, path: /^\/listeners\/lis_1$/ },
    call: (client, _, options: Options) => client.listeners.get('lis_1', options),
  },
  {
    ...{ id: 'feeds.list', ...free, path: /^\/feeds$/, list: 'feeds', paging: 'cursor' },
    call: (client, params, options: Options) => client.feeds.list(params, options),
  },
  {
    ...{ id: 'feeds.get', ...free, path: /^\/feeds\/svw_1$/ },
    call: (client, _, options: Options) => client.feeds.get('svw_1', options),
  },
  {
    ...{ id: 'organization.context', ...free, path: /^\/organization\/context$/ },
    call: (client, params, options: Options) => client.organization.context(params, options),
  },
  {
    ...{ id: 'organization.usage', ...free, path: /^\/organization\/usage$/ },
    call: (client, params, options: Options) => client.organization.usage(params, options),
  },
  {
    ...{ id: 'openapi', ...free, path: /^\/openapi\.json$/ },
    call: (client, _, options: Options) => client.openapi(options),
  },
]

/** Credits that a call may cost at most for one request. */
export function worstCaseOf({ price, id }: SoakOperation): number {
  if (price !== 'items') return price
  return id === 'professionalnet.posts.comments' ? 150 : reactionsCeiling
}

/** The option `ceiling` of reactions; the service never returns more here. */
export const reactionsCeiling = 60

import type { ApiCall, PagedCall, SocialSearch } from '../../../src/index.ts'

/** What the service's description says of an operation, stated a second time, independently of the package. */
export interface SoakOperation {
  readonly id: string
  readonly method: 'GET' | 'POST' | 'PATCH'
  /** Below the base URL. */
  readonly path: string
  readonly surface: 'microblog' | 'professionalnet' | 'technews' | null
  /** Credits of a success; `items` for one credit an item; 0 for free. */
  readonly price: number | 'items'
  /** Items that the service returns at most, if each has a price. */
  readonly mostItems?: number
  /** Recommended timeout in milliseconds. */
  readonly timeoutMs: number
  /** Name of the array in the response. */
  readonly list?: string
  readonly paging?: 'cursor' | 'untilEmpty' | 'counted'
  /** The id in the path. */
  readonly pathId?: string
  /** Params beside the position in the walk; absent if it takes none. */
  readonly params?: object
  /** Options that each call has. */
  readonly options?: object
}

const url = 'https://professionalnet.example/x'
const network = '/data/professionalnet'
const plain = { timeoutMs: 30_000, params: {} } as const
const free = { ...plain, method: 'GET', price: 0, surface: null } as const
const record = { timeoutMs: 30_000, method: 'GET', price: 0, surface: null } as const
const paid = { ...plain, method: 'POST', paging: 'cursor' } as const
const person = { ...paid, surface: 'professionalnet', price: 10 } as const
const industries = { ...free, list: 'industries', paging: 'counted' } as const
const news = { ...paid, surface: 'technews', price: 2, list: 'posts' } as const
const slow = { timeoutMs: 90_000, method: 'POST', surface: 'professionalnet' } as const

export const soakOperations: readonly SoakOperation[] = [
  {
    ...{ id: 'microblog.search', ...paid, surface: 'microblog', price: 2, list: 'posts' },
    path: '/data/microblog/tweets/search',
    params: { query: 'rust', category: 'Latest' },
  },
  {
    ...{ id: 'professionalnet.posts.search', ...slow, price: 4, list: 'posts', paging: 'untilEmpty' },
    path: '/data/professionalnet/posts/search',
    params: { query: 'data', sort_by: 'recent' },
  },
  { ...slow, id: 'professionalnet.company.get', price: 4, path: `${network}/company/get`, params: { url } },
  { ...person, id: 'professionalnet.person.posts', list: 'posts', path: `${network}/person/posts` },
  { ...person, id: 'professionalnet.person.comments', list: 'comments', path: `${network}/person/comments` },
  {
    ...{ id: 'professionalnet.posts.comments', ...slow, price: 'items', mostItems: 150, list: 'comments' },
    path: '/data/professionalnet/posts/comments',
    params: { postUrl: url, maxComments: 150 },
  },
  {
    ...{ id: 'professionalnet.posts.reactions', ...paid, surface: 'professionalnet', price: 'items' },
    ...{ path: '/data/professionalnet/posts/reactions', list: 'reactions' },
    ...{ mostItems: 60, options: { expectedItems: 60 } },
  },
  { ...industries, id: 'professionalnet.industries.list', path: `${network}/industries` },
  { ...news, id: 'technews.search', path: '/data/technews/search' },
  { id: 'mentions.list', ...free, path: '/mentions', list: 'mentions', paging: 'cursor' },
  { id: 'mentions.get', ...record, path: '/mentions/men_1', pathId: 'men_1' },
  { id: 'mentions.count', ...free, path: '/mentions/count' },
  {
    ...{ id: 'mentions.setState', ...free, method: 'PATCH', path: '/mentions/men_1/state' },
    ...{ pathId: 'men_1', params: { state: 'done' } },
  },
  { id: 'listeners.list', ...free, path: '/listeners', list: 'listeners', paging: 'cursor' },
  { id: 'listeners.get', ...record, path: '/listeners/lis_1', pathId: 'lis_1' },
  { id: 'feeds.list', ...free, path: '/feeds', list: 'feeds', paging: 'cursor' },
  { id: 'feeds.get', ...record, path: '/feeds/svw_1', pathId: 'svw_1' },
  { id: 'organization.context', ...free, path: '/organization/context' },
  { id: 'organization.usage', ...free, path: '/organization/usage' },
  { id: 'openapi', ...record, path: '/openapi.json' },
]

/** Calls the method of the client that is named like the operation. */
export function callOperation(
  client: SocialSearch,
  { id, pathId, params, ...operation }: Pick<SoakOperation, 'id' | 'pathId' | 'params' | 'options'>,
  options: object,
): ApiCall<unknown> | PagedCall<unknown, unknown> {
  const names = id.split('.')
  const name = names.pop() ?? ''
  const resource = names.reduce<object>((at, each) => Reflect.get(at, each) as object, client)
  const given = [pathId, params && { ...params }].filter((each) => each !== undefined)
  const method = Reflect.get(resource, name) as () => PagedCall<unknown, unknown>
  return Reflect.apply(method, resource, [...given, { ...operation.options, ...options }])
}

/** Credits that a call may cost at most for one request. */
export const worstCaseOf = ({ price, mostItems = 0 }: SoakOperation) =>
  price === 'items' ? mostItems : price

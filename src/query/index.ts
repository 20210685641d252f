export { infiniteSearchOptions, searchOptions } from './search-options.ts'
export type { InfiniteSearchOptions, SearchOptions } from './search-options.ts'
export type { CallArguments, CallId, CallResult, PagedCallId, QueryClientOf } from './calls.ts'

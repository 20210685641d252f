export { infiniteSearchOptions, searchOptions } from './search-options.ts'
export type {
  CallArguments,
  CallId,
  CallResult,
  InfiniteSearchOptions,
  PagedCallId,
  QueryClientOf,
  SearchOptions,
} from './search-options.ts'

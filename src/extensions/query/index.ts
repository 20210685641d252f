export { infiniteSearchOptions, searchOptions, setStateOptions } from './search-options.ts'
export type {
  CallArguments,
  CallId,
  CallResult,
  InfiniteSearchOptions,
  PagedCallId,
  QueryClientOf,
  SearchOptions,
  SetStateOptions,
  SetStateVariables,
} from './search-options.ts'

export { type EstimateOptions, type SearchEstimate, estimateSearch } from './estimate.ts'
export { watchSearch } from './watch-search.ts'
export { watchSearches } from './watch-searches.ts'
export type { PostCount, WatchPace } from './pace.ts'
export type {
  BatchOf,
  ProfessionalnetWatchParams,
  SearchBatch,
  SearchToWatch,
  SharedWatchOptions,
  WatchBatch,
  WatchClient,
  WatchGap,
  WatchOptions,
  WatchParams,
  WatchSearchesOptions,
  WatchSpan,
  WatchState,
} from './types.ts'

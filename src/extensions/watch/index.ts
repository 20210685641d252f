export { watchSearch, watchSearches } from './watch.ts'
export type { PostCount, WatchPace } from './due.ts'
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

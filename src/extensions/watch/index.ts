export { watchSearch } from './watch-search.ts'
export type {
  ProfessionalnetWatchParams,
  WatchBatch,
  WatchOptions,
  WatchParams,
  WatchSpan,
  WatchState,
} from './types.ts'

export { watchSearch } from './watch-search.ts'
export type { WatchBatch, WatchGap, WatchOptions, WatchParams, WatchState } from './types.ts'

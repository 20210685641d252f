export { NotCachedError } from '../../errors/index.ts'
export { ResultCache, type ResultCacheOptions } from './result-cache.ts'
export { sqliteCacheStore } from './sqlite.ts'
export type { CacheStore } from './store.ts'

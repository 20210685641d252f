export { NotCachedError } from '../../errors/index.ts'
export { ResultCache, type ResultCacheOptions } from './result-cache.ts'
export type { CacheStore } from './store.ts'

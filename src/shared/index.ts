export { SharedLimiter, type SharedLimiterOptions } from './limiter.ts'
export { memoryStore } from './memory-store.ts'
export type { SharedOptions } from './options.ts'
export type { ChangeText, SharedStore, TextChange } from './store.ts'

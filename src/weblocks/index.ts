export type { Limits } from '../core/limits/limiter.ts'
/**
 * Limits of an organization that all tabs and workers of one origin in one browser keep together.
 *
 * @module
 */
export { WebLocksLimiter } from './limiter.ts'
export type { WebLocksOptions } from './options.ts'

/**
 * Limits of an organization that all tabs and workers of one origin in one browser keep together.
 *
 * @module
 */
export { WebLocksLimiter } from './limiter.ts'
export type { WebLocksOptions } from './options.ts'
export type { Limits } from '../core/limiter.ts'

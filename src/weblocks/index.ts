export type { Limits } from '../limits/interface.ts'
/**
 * Shares an organization's limits across all tabs and workers of one origin in one browser.
 *
 * @module
 */
export { WebLocksLimiter } from './limiter.ts'
export type { WebLocksOptions } from './options.ts'

import { microblogSearch } from './microblog.ts'
import type { Operation } from './operation.ts'

/** Every operation of the service. Code that needs one operation imports it alone, so that bundles stay small. */
export const operations: readonly Operation[] = [microblogSearch]

import { join } from 'node:path'

export const folder = import.meta.dirname
export const root = join(folder, '..')
/** Everything that the bench builds. */
export const out = join(folder, '.out')

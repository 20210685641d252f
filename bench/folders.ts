import { join } from 'node:path'

export const folder = import.meta.dirname
export const root = join(folder, '..')
/** Folder of all build output. */
export const out = join(folder, '.out')

import { join } from 'node:path'
import { afterEach, beforeEach, vi } from 'vitest'
import { newFolder } from '../support/folder.ts'

/** The file of a test's tokens. */
export let path: string
beforeEach(() => {
  path = join(newFolder(), 'tokens.sqlite')
})
afterEach(() => void vi.useRealTimers())

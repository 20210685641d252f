import { join } from 'node:path'
import { afterEach, beforeEach, vi } from 'vitest'
import { newFolder } from '../support/folder.ts'

/** The folder of the test, and in it a token file and its lock. */
export let folder: string
export let path: string
export let lock: string
beforeEach(() => {
  folder = newFolder()
  path = join(folder, 'tokens.json')
  lock = `${path}.lock`
})
afterEach(() => void vi.useRealTimers())

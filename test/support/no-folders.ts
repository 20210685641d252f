/** A worker runs many files: whatever folders a file has made go after it. */
import { afterAll } from 'vitest'
import { removeFolders } from './folder.ts'

afterAll(removeFolders)

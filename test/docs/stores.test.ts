import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'
import { storeContract } from '../shared/store-contract.ts'
import { documentedStore } from './stores.ts'

const folder = mkdtempSync(join(tmpdir(), 'stores-'))
afterAll(() => rmSync(folder, { recursive: true }))

const open = async () => (await documentedStore('sqliteStore'))(join(folder, 'texts.db'))

storeContract('sqliteStore of docs/stores.md', open, false)

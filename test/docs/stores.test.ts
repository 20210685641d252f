import { join } from 'node:path'
import { storeContract } from '../shared/store-contract.ts'
import { newFolder } from '../support/folder.ts'
import { documentedStore } from './stores.ts'

const folder = newFolder()
const open = async () => (await documentedStore('sqliteStore'))(join(folder, 'texts.db'))

storeContract('sqliteStore of docs/stores.md', open, false)

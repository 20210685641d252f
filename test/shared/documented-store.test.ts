import { join } from 'node:path'
import { documentedStore } from '../docs/stores.ts'
import { newFolder } from '../support/folder.ts'
import { storeContract } from './store-contract.ts'

const path = join(newFolder(), 'shared.sqlite')
storeContract('sqlStore of docs/stores.md', async () => (await documentedStore('sqlStore'))(path), {
  hasMessages: false,
})

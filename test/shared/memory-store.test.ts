import { memoryStore } from '../../src/extensions/shared/index.ts'
import { storeContract } from './store-contract.ts'

const store = memoryStore()
storeContract('memoryStore', () => store)

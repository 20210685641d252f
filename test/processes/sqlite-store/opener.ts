import { text } from 'node:stream/consumers'
import { sqliteStore } from '../../../src/extensions/shared/index.ts'

// Opens a file nine times, at the moment that stdin ends, and adds one to a text of it each time.
const [path = ''] = process.argv.slice(2)
const add = (value = '0') => ({ value: String(Number(value) + 1), result: undefined })
console.log('ready')
await text(process.stdin)
await Promise.all(Array.from({ length: 9 }, () => sqliteStore(path).update('opened', add)))

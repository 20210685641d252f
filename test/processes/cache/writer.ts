/** Writes entries that say themselves whether they are whole, until it is killed. */
import { sqliteCacheStore } from '../../../src/extensions/cache/node.ts'

const store = sqliteCacheStore(process.argv[2] ?? '')
for (let number = 0; ; number++) {
  const text = String(number).repeat(2000)
  store.set(`key ${number % 50}`, JSON.stringify({ text, length: text.length }), 60_000)
  if (number === 20) console.log('writing')
}

import { sqliteCacheStore } from '../../../src/extensions/cache/index.ts'

// Opens and closes files whose names begin with argv[2], a new one every 20 ms, at the same time as other processes.
const end = Date.now() + 4000
let last = 0
while (Date.now() < end) {
  const slot = Math.floor(Date.now() / 20)
  if (slot === last) continue
  last = slot
  const store = sqliteCacheStore(`${process.argv[2]}-${slot}`)
  await store.set(String(process.pid), 'value', 60_000)
  store.close()
}

/** Makes 25 equal calls with a cache in an SQLite file or in Redis, and prints what became of them. */
import { Redis } from 'ioredis'
import { type CacheStore, ResultCache } from '../../../src/extensions/cache/index.ts'
import { sqliteStore } from '../../../src/extensions/cache/node.ts'
import { SocialSearch, isSocialSearchError } from '../../../src/index.ts'

const [place = '', baseUrl = ''] = process.argv.slice(2)

function redisStore(redis: Redis): CacheStore {
  return {
    get: (key) => redis.get(key),
    set: (key, value, maxAge) => redis.set(key, value, 'PX', maxAge),
    delete: (key) => redis.del(key),
    setIfAbsent: async (key, value, maxAge) => (await redis.set(key, value, 'PX', maxAge, 'NX')) === 'OK',
  }
}

const store = place.startsWith('redis:') ? redisStore(new Redis(place)) : sqliteStore(place)
const cache = new ResultCache({ store, maxAge: 60_000 })
const client = new SocialSearch({ baseUrl, apiKey: 'org_live_5f2b8c1d9e', cache })
const ends = await Promise.all(
  Array.from({ length: 25 }, () =>
    client.microblog.search({ query: 'rust' }).then(
      ({ posts }) => `posts: ${posts.length}`,
      (error: unknown) => (isSocialSearchError(error) ? `${error.code} ${error.charged}` : String(error)),
    ),
  ),
)
console.log(JSON.stringify({ ends: [...new Set(ends)], credits: client.credits }))
process.exit()

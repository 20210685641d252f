/** Takes queries from a list until it is empty. Start any number of workers, on any machines that reach the same Redis. */
import { createClient } from 'redis'
import { SocialSearch } from 'social-search-sdk'
import { SharedBudget, SharedLimiter, redisStore } from 'social-search-sdk/shared'

const { REDIS_URL = 'redis://127.0.0.1:6379' } = process.env

const redis = await createClient({ url: REDIS_URL }).on('error', console.error).connect()
const store = redisStore(redis)
const limiter = new SharedLimiter({ store, organization: 'acme' })
const budget = new SharedBudget({ store, name: 'fleet', limit: 100 }) // credits of all workers together
const client = SocialSearch.fromEnv({ limiter, budget })

// A query is in `taken` until its posts are stored, so a worker that is killed loses none.
const takeQuery = () => redis.lMove('queries', 'taken', 'LEFT', 'RIGHT')

try {
  for (let query = await takeQuery(); query !== null; query = await takeQuery()) {
    const { posts } = await client.microblog.search({ query })
    await redis.multi().hSet('posts', query, JSON.stringify(posts)).lRem('taken', 1, query).exec()
    console.log(`worker ${process.pid}: ${posts.length} posts about ${query}`)
  }
} finally {
  await client.close()
  await limiter.close()
  await budget.close() // Redis knows the cost of every call
  await redis.close()
}

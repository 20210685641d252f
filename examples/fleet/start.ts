/** Fills the list of queries, starts three workers and reads what they have stored. */
import { fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createClient } from 'redis'
import { SharedBudget, redisStore } from 'social-search-sdk/shared'

// Without REDIS_URL, this demo has a Redis for itself, which forgets everything in the end.
const demoUrl = 'redis://127.0.0.1:6399'
const { REDIS_URL = demoUrl } = process.env
const server =
  REDIS_URL === demoUrl
    ? spawn('redis-server', ['--port', '6399', '--bind', '127.0.0.1', '--save', ''], { stdio: 'ignore' })
    : null
server?.on('error', () => {
  console.error('redis-server is not installed; install it, or set REDIS_URL')
  process.exit(1)
})

const redis = await createClient({ url: REDIS_URL })
  .on('error', () => {}) // not ready yet
  .connect()
// What workers have left behind that were killed.
while ((await redis.lMove('taken', 'queries', 'LEFT', 'RIGHT')) !== null);
const queries = ['typescript', 'rust', 'golang', 'python', 'webassembly', 'deno', 'bun', 'redis', 'sqlite']
const done = await redis.hKeys('posts')
for (const query of queries) if (!done.includes(query)) await redis.rPush('queries', query)

const workers = [1, 2, 3].map(() => fork('worker.ts', { env: { ...process.env, REDIS_URL } }))
const exits = await Promise.all(workers.map((worker) => once(worker, 'exit')))
if (exits.some(([code]) => code !== 0)) process.exitCode = 1

const budget = new SharedBudget({ store: redisStore(redis), name: 'fleet', limit: 100 })
const { spent, uncertain, remaining } = await budget.summary()
console.log(`${await redis.hLen('posts')} queries are answered`)
console.log(`${spent} credits spent, ${uncertain} uncertain, ${remaining} left`)
await budget.close()
await redis.close()
server?.kill()

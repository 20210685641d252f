/**
 * Makes a client with its own key for each of many tenants, sends one call and closes it. Prints the bytes that each tenant
 * leaves when the window has passed, and whether the heap holds a key before that. Needs --expose-gc.
 */
import { setImmediate as settled } from 'node:timers/promises'
import { getHeapSnapshot } from 'node:v8'
import { SocialSearch } from '../../src/index.ts'
import { page } from '../support/pages.ts'

const { gc } = globalThis
if (gc === undefined) throw new Error('node needs --expose-gc')

const tenants = 5_000
let served = 0
const body = JSON.stringify(page([]))
const fetch = () => Promise.resolve(new Response(body))
const open = () =>
  new SocialSearch({ baseUrl: 'https://api.example/v1', apiKey: `tenant_${++served}_key`, fetch })

const clock = performance.now.bind(performance)
let skipped = 0
performance.now = () => clock() + skipped

async function serve(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    const client = open()
    await client.microblog.search({ query: 'typescript' })
    await client.close()
  }
}

async function heap(): Promise<number> {
  await settled()
  gc?.()
  return process.memoryUsage().heapUsed
}

/** Lets the window pass twice. The client that is made after each looks for idle limiters. */
async function heapLater(): Promise<number> {
  for (let times = 0; times < 2; times++) {
    skipped += 120_000
    open()
    await heap()
  }
  return heap()
}

async function hasKey(): Promise<boolean> {
  let text = ''
  for await (const chunk of getHeapSnapshot()) {
    text = text.slice(-40) + String(chunk)
    if (/tenant_\d+_key/.test(text)) return true
  }
  return false
}

await serve(1000)
const before = await heapLater()
await serve(tenants)
const left = ((await heapLater()) - before) / tenants
await serve(100)
// Node keeps the signal of a request until the collection after the one that has freed the request.
await heap()
await heap()
console.log(JSON.stringify({ left, hasKey: await hasKey() }))

/** Makes calls that fail in many ways, and prints the unhandled rejections of each. */
import { setTimeout } from 'node:timers/promises'
import { SocialSearch } from '../../src/index.ts'
import { createSandbox } from '../support/sandbox.ts'

let unhandled: string[] = []
process.on('unhandledRejection', (error) => unhandled.push((error as Error).name))

const { baseUrl, apiKey, fetch, inject } = createSandbox()
const client = new SocialSearch({ baseUrl, apiKey, fetch, retry: false })

const ways: Record<string, () => unknown> = {
  call: () => client.mentions.setState('men_1', { state: 'done' }),
  'call.withResponse()': () => client.organization.usage().withResponse(),
  'search.then()': () => client.microblog.search({ query: 'a' }).then(),
  'search.withResponse()': () => client.microblog.search({ query: 'a' }).withResponse(),
  'pages().next()': () => client.microblog.search({ query: 'a' }).pages().next(),
  'toArray()': () => client.microblog.search({ query: 'a' }).toArray({ limit: 1 }),
  'invalid params': () => client.professionalnet.company.get({ url: '' }),
  'call.catch()': () => client.mentions.setState('men_1', {}).catch(() => undefined),
  'await call': () => Promise.allSettled([client.mentions.setState('men_1', {})]),
  'await twice': async () => {
    const call = client.mentions.setState('men_1', {})
    await call.catch(() => undefined)
    await call.withResponse().catch(() => undefined)
  },
  'search.catch()': () => client.microblog.search({ query: 'a' }).catch(() => undefined),
  // Last, since what it leaves is for the next call.
  'search, unused': () => client.microblog.search({ query: 'a' }),
}
const found: Record<string, string[]> = {}
for (const [name, call] of Object.entries(ways)) {
  inject({ status: 403 })
  unhandled = []
  void call()
  await setTimeout(20)
  found[name] = unhandled
}
console.log(JSON.stringify(found))

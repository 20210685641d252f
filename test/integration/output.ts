/** Makes 21 searches, of which the last waits for a minute and one that may be charged twice. */
import { setTimeout } from 'node:timers/promises'
import { SocialSearch } from '../../src/index.ts'
import { createSandbox } from '../support/sandbox.ts'

const sandbox = createSandbox()
const { apiKey, fetch } = sandbox
const baseUrl = 'https://api.example.com/v1'
const client = new SocialSearch({ baseUrl, apiKey, fetch, retry: { unknown: true } })
sandbox.inject({ reset: 'after' })
for (let i = 0; i < 21; i++) void client.microblog.search({ query: 'a' }).catch(() => {})
while (!client.status().surfaces.some(({ wait }) => wait?.reason === 'pace')) await setTimeout(20)
await setTimeout(500)
await client.close()

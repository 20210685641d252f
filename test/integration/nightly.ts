/** A job that stores the ids of posts and how far it has come, in one file, and goes on from there when it runs again. */
import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { type MicroblogSearchParams, SocialSearch, type WalkState } from '../../src/index.ts'

interface Stored {
  ids: string[]
  state: WalkState<MicroblogSearchParams> | null
}

const [, , file = ''] = process.argv
const stored = JSON.parse(readFileSync(file, 'utf8')) as Stored
const client = SocialSearch.fromEnv({ limits: { perMinute: false } })
const walk = client.microblog.search({ query: 'typescript', count: 20 }).resume(stored.state)
for await (const { posts, next } of walk.pages()) {
  stored.ids.push(...posts.map(({ id }) => id))
  stored.state = { next }
  // Both at once: a rename is all or nothing.
  writeFileSync(`${file}.new`, JSON.stringify(stored))
  renameSync(`${file}.new`, file)
  console.log('page')
}
console.log(client.credits.spent)

/** Writes the posts of a search to posts.jsonl, with no more permissions than that takes: see package.json. */
import { CreditBudget, SocialSearch } from 'social-search-sdk'
import { streamOf, toJsonl } from 'social-search-sdk/export'

const client = SocialSearch.fromEnv({ budget: new CreditBudget(20) })
const posts = client.microblog.search({ query: 'webassembly', category: 'Latest' }, { maxPages: 5 })

const { writable } = await Deno.open('posts.jsonl', { write: true, create: true, truncate: true })
const file = writable.getWriter()
try {
  // Line by line: if a later page fails, the file keeps every post that you paid for.
  for await (const line of streamOf(posts).pipeThrough(toJsonl())) await file.write(line)
} finally {
  await file.close()
  console.log(`posts.jsonl is written, for ${client.credits.spent} credits`)
}

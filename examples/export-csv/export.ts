/** Writes the posts of a search to posts.csv, for a spreadsheet. */
import { open } from 'node:fs/promises'
import { CreditBudget, SocialSearch } from 'social-search-sdk'
import { streamOf, toCsv } from 'social-search-sdk/export'

const client = SocialSearch.fromEnv({ budget: new CreditBudget(20) })
const posts = client.microblog.search({ query: 'webassembly', category: 'Latest' }, { maxPages: 5 })
const fields = ['timestamp', 'author', 'body', 'engagements.favoriteCount', 'engagements.viewsCount', 'url']

// `wx` refuses a file that exists, before anything is bought.
const file = await open('posts.csv', 'wx')
try {
  // Row by row: if a later page fails, the file keeps every post that you paid for.
  for await (const row of streamOf(posts).pipeThrough(toCsv({ fields }))) await file.appendFile(row)
} finally {
  await file.close()
  console.log(`posts.csv is written, for ${client.credits.spent} credits`)
}

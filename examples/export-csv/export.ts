/** Writes the posts of a search to posts.csv, for a spreadsheet. */
import { open, writeFile } from 'node:fs/promises'
import { CreditBudget, SocialSearch, isSocialSearchError } from 'social-search-sdk'
import { streamOf, toCsv } from 'social-search-sdk/export'

const client = SocialSearch.fromEnv({ budget: new CreditBudget(20) })
const posts = client.microblog.search({ query: 'webassembly', category: 'Latest' }, { maxPages: 5 })
const fields = ['timestamp', 'author', 'body', 'engagements.favoriteCount', 'engagements.viewsCount', 'url']

// Free. Without a key or the service, the script ends here, and makes no file.
await client.openapi()
// `wx` refuses a file that exists, before anything is bought.
const file = await open('posts.csv', 'wx')
try {
  // Row by row: if a later page fails, the file keeps every post that you paid for.
  for await (const row of streamOf(posts).pipeThrough(toCsv({ fields }))) await file.appendFile(row)
} catch (error) {
  // You paid for this page: keep it, even though it does not have the documented shape.
  if (isSocialSearchError(error) && error.code === 'invalid_response')
    await writeFile(`unexpected-${error.requestId ?? Date.now()}.json`, JSON.stringify(error.body))
  throw error
} finally {
  await file.close()
  console.log(`posts.csv is written, for ${client.credits.spent} credits`)
}

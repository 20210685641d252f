/**
 * The main job from end to end: search, read a page, walk on, keep account, meet an error. Talks to a sandbox that it
 * starts itself, or to the real service if SOCIAL_SEARCH_BASE_URL and SOCIAL_SEARCH_API_KEY are set.
 */
import { styleText } from 'node:util'
import { CreditBudget, type MicroblogPost, SocialSearch, isSocialSearchError } from 'social-search-sdk'
import { type SandboxServer, serveSandbox } from 'social-search-sdk/sandbox/node'

const query = 'typescript'
const pages = 6
// A ceiling for the whole program: no bug in it, and no run against the real service, can cost more.
const budget = new CreditBudget(20)

const { SOCIAL_SEARCH_BASE_URL: realService, SOCIAL_SEARCH_API_KEY: realKey } = process.env
const sandbox = realService && realKey ? null : await serveSandbox({ latency: [80, 250] })
try {
  await tour(sandbox)
} finally {
  await sandbox?.close()
}

async function tour(sandbox: SandboxServer | null): Promise<void> {
  const client = sandbox
    ? new SocialSearch({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, budget })
    : SocialSearch.fromEnv({ budget })
  say(sandbox ? `A sandbox of the service runs at ${sandbox.baseUrl}` : `Talking to ${realService}`)

  heading(`Searching the microblog for “${query}”`)
  const search = client.microblog.search(
    { query, category: 'Top', filters: { lang: 'en' } },
    { maxPages: pages },
  )
  const { data: first, requestId, attempts, credits } = await search.withResponse()
  for (const post of first.posts.slice(0, 5)) show(post)
  say(
    `${first.posts.length} posts, the best 5 shown. requestId ${requestId}, ${attempts.length} attempt, ${credits.spent} credits`,
  )

  heading('Walking on, page by page')
  let posts = 0
  let page = 0
  let next: object | null = null
  for await (const { posts: found, next: following } of search.pages()) {
    posts += found.length
    next = following
    progress(++page, pages, `${posts} posts, ${client.credits.spent} credits`)
  }
  say(
    `The first page was reused, not bought again. To go on later, keep the last page's next: ${JSON.stringify(next)}`,
  )

  heading('Narrowing it down')
  const filters = { lang: 'en', onlyPostsWithLinks: true, minimumLikesCount: 10 }
  const narrowed = await client.microblog.search({ query, category: 'Latest', filters }).toArray({ limit: 2 })
  for (const post of narrowed) show(post)
  say(`The latest with a link and at least ${filters.minimumLikesCount} likes`)

  heading('What an error looks like')
  await meet('A request outside the documented bounds is refused before it is sent:', () =>
    client.microblog.search({ query, count: 50, filters: { lang: 'x'.repeat(40) } }),
  )
  if (sandbox) {
    sandbox.inject({ reset: 'after' })
    await meet('A paid request whose answer is lost is not sent again:', () =>
      client.microblog.search({ query }),
    )
  }

  heading('The account')
  const { spent, uncertain } = client.credits
  say(
    `${spent} credits spent, ${uncertain} uncertain, ${budget.remaining} of ${budget.limit} left in the budget`,
  )
  if (sandbox) say(`The service's own ledger says ${sandbox.ledger.spent}`)
  await client.close()
}

async function meet(title: string, call: () => PromiseLike<unknown>): Promise<void> {
  say(title)
  try {
    await call()
  } catch (error) {
    if (!isSocialSearchError(error)) throw error
    console.log(`    ${styleText('red', error.name)} ${error.message}`)
    console.log(
      styleText('dim', `    code ${error.code}, charged ${error.charged}, ${error.attempts.length} attempts`),
    )
  }
}

function show({ name, author, timestamp, body, engagements, url }: MicroblogPost): void {
  const { favoriteCount, retweetCount, replyCount, viewsCount } = engagements
  const count = (value: number): string => value.toLocaleString('en')
  console.log(
    `\n  ${styleText('bold', name)} ${styleText('dim', `@${author} · ${timestamp.slice(0, 16).replace('T', ' ')}`)}`,
  )
  for (const line of wrap(body, 76)) console.log(`  ${line}`)
  const numbers = `♥ ${count(favoriteCount)}   ↻ ${count(retweetCount)}   ↩ ${count(replyCount)}   ◉ ${count(viewsCount)}`
  console.log(styleText('dim', `  ${numbers}   ${url}`))
}

function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines = ['']
    for (const word of paragraph.split(' ')) {
      const line = lines.at(-1) ?? ''
      if (line !== '' && line.length + word.length >= width) lines.push(word)
      else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
    }
    return lines
  })
}

/** Redraws one line on a terminal; elsewhere each step gets a line of its own. */
function progress(done: number, total: number, status: string): void {
  const line = `  [${'█'.repeat(done)}${'░'.repeat(total - done)}] page ${done} of at most ${total}: ${status}`
  if (process.stdout.isTTY) process.stdout.write(`\r${line}${done === total ? '\n' : ''}`)
  else console.log(line)
}

function heading(text: string): void {
  console.log(`\n${styleText(['bold', 'cyan'], text)}`)
}

function say(text: string): void {
  console.log(`\n  ${text}`)
}

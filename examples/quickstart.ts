/**
 * A tour: search, read more pages, meet two errors, see what it cost. Talks to a sandbox that it starts itself, or to the real
 * service if SOCIAL_SEARCH_BASE_URL and SOCIAL_SEARCH_API_KEY are set.
 */
import { styleText } from 'node:util'
import {
  type AnySocialSearchError,
  CreditBudget,
  type MicroblogPost,
  SocialSearch,
  isSocialSearchError,
} from 'social-search-sdk'
import { type SandboxServer, serveSandbox } from 'social-search-sdk/sandbox/node'

const query = 'typescript'
const pages = 6
const width = Math.min(process.stdout.isTTY ? process.stdout.columns : 80, 120) - 4
// Neither a bug in this program nor a run against the real service can cost more.
const budget = new CreditBudget(20)

const { SOCIAL_SEARCH_BASE_URL: realService, SOCIAL_SEARCH_API_KEY: realKey } = process.env
// A closed pipe, such as `| head`, ends the program.
process.stdout.on('error', () => process.exit())
const sandbox = realService && realKey ? null : await serveSandbox({ latency: [80, 250] })
try {
  await tour(sandbox)
} catch (error) {
  if (!isSocialSearchError(error)) throw error
  tell(error)
  process.exitCode = 1
} finally {
  await sandbox?.close()
}

async function tour(sandbox: SandboxServer | null): Promise<void> {
  const client = sandbox
    ? new SocialSearch({ baseUrl: sandbox.baseUrl, apiKey: sandbox.apiKey, budget })
    : SocialSearch.fromEnv({ budget })
  say(sandbox ? `A sandbox of the service runs at ${sandbox.baseUrl}` : `Talking to ${realService}`)
  if (sandbox && (realService || realKey)) {
    say('Set both SOCIAL_SEARCH_BASE_URL and SOCIAL_SEARCH_API_KEY to talk to the real service')
  }

  heading(`Search for “${query}”`)
  const search = client.microblog.search(
    { query, category: 'Top', filters: { lang: 'en' } },
    { maxPages: pages },
  )
  const { data: first, credits } = await search.withResponse()
  for (const post of first.posts.slice(0, 3)) show(post)
  say(`3 of the ${first.posts.length} posts on this page · ${count(credits.spent, 'credit')}`)

  heading('Read more pages')
  console.log()
  let posts = 0
  let page = 0
  for await (const { posts: found } of search.pages()) {
    posts += found.length
    progress(++page, pages, `${posts} posts · ${count(client.credits.spent, 'credit')}`)
  }
  if (process.stdout.isTTY) console.log()
  say('The first page was not paid for again. To resume later, save `next` of the last page.')

  heading('Errors')
  await meet('A page has at most 20 posts. A request for more is not even sent:', () =>
    client.microblog.search({ query, count: 50 }),
  )
  if (sandbox) {
    sandbox.inject({ reset: 'after' })
    await meet('The response to a paid request is lost. A retry could cost twice, so there is none:', () =>
      client.microblog.search({ query }),
    )
  }

  heading('Credits')
  const { spent, uncertain } = client.credits
  say(
    `${spent} spent, ${uncertain} uncertain (the lost response), ${budget.remaining} of ${budget.limit} left in the budget.${
      sandbox ? ` The service charged ${sandbox.ledger.spent}.` : ''
    }`,
  )
  await client.close()

  heading('Try next')
  console.log(`
  npm run -s cli -- search tea --sandbox      the same client as a command
  npm run dashboard                           two searches compared, in a page
  npm run example nightly-job                 a program to copy: new posts every night`)
}

async function meet(title: string, call: () => PromiseLike<unknown>): Promise<void> {
  say(title)
  try {
    await call()
  } catch (error) {
    if (!isSocialSearchError(error)) throw error
    tell(error)
  }
}

function tell({ name, message, charged }: AnySocialSearchError): void {
  console.log(`\n    ${styleText('red', name)}`)
  for (const line of wrap(message, width - 2)) console.log(`    ${line}`)
  console.log(styleText('dim', `    charged: ${charged}`))
}

function show({ name, author, timestamp, body, engagements, url }: MicroblogPost): void {
  const { favoriteCount, retweetCount, replyCount, viewsCount } = engagements
  const number = (value: number): string => value.toLocaleString('en')
  const when = timestamp.slice(0, 16).replace('T', ' ')
  console.log(`\n  ${styleText('bold', name)} ${styleText('dim', `@${author} · ${when}`)}`)
  for (const line of wrap(body, width)) console.log(`  ${line}`)
  const marks = [
    `♥ ${number(favoriteCount)}`,
    `↻ ${number(retweetCount)}`,
    `↩ ${number(replyCount)}`,
    `◉ ${number(viewsCount)}`,
  ]
  console.log(styleText('dim', `  ${marks.join('   ')}`))
  console.log(styleText('dim', `  ${url}`))
}

function wrap(text: string, width: number): string[] {
  return text.split('\n').flatMap((paragraph) => {
    const lines = ['']
    for (const word of paragraph
      .split(' ')
      .flatMap((word) => word.match(new RegExp(`.{1,${width}}`, 'gu')) ?? [''])) {
      const line = lines.at(-1) ?? ''
      if (line !== '' && line.length + word.length >= width) lines.push(word)
      else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
    }
    return lines
  })
}

function count(amount: number, thing: string): string {
  return `${amount} ${thing}${amount === 1 ? '' : 's'}`
}

/** Redraws one line on a terminal; elsewhere it prints a line for each step. */
function progress(done: number, total: number, status: string): void {
  const line = `  [${'█'.repeat(done)}${'░'.repeat(total - done)}] page ${done} of ${total} · ${status}`
  process.stdout.write(process.stdout.isTTY ? `\r\u001b[K${line}` : `${line}\n`)
}

function heading(text: string): void {
  console.log(`\n${styleText(['bold', 'cyan'], text)}`)
}

function say(text: string): void {
  console.log()
  for (const line of wrap(text, width)) console.log(`  ${line}`)
}

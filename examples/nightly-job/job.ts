/**
 * Collects the posts of a search in posts.jsonl, one a line. Run it again after it ended for any reason, kill -9 included:
 * it continues at the next page. All runs together cost at most `creditLimit` credits.
 */
import {
  appendFileSync,
  existsSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs'
import {
  CreditBudget,
  type MicroblogSearchParams,
  SocialSearch,
  isSocialSearchError,
} from 'social-search-sdk'

const params: MicroblogSearchParams = {
  query: 'typescript',
  category: 'Latest',
  filters: { lang: 'en' },
}
const creditLimit = 200

interface State {
  /** Params of the page to buy next; null when the walk is complete. */
  next: MicroblogSearchParams | null
  /** Length of posts.jsonl, without what a killed run may have written of its last page. */
  bytes: number
  /** Credits left, also if the page that was under way has been charged. */
  remaining: number
}

const stored = existsSync('state.json') ? (JSON.parse(readFileSync('state.json', 'utf8')) as State) : null
let { next, bytes } = stored ?? { next: params, bytes: 0 }

const file = openSync('posts.jsonl', 'a')
const { size } = fstatSync(file)
if (stored ? size < bytes : size > 0)
  throw new Error('posts.jsonl and state.json do not belong together; move them away to begin again')
ftruncateSync(file, bytes)

const client = SocialSearch.fromEnv()
const budget = new CreditBudget(stored?.remaining ?? creditLimit)
const pagePrice = client.quote('microblog.search', params).perPage ?? 0

/** Replaces the state as a whole, because a rename either happens or does not. */
function save(remaining: number): void {
  writeFileSync('state.json.new', JSON.stringify({ next, bytes, remaining } satisfies State), { flush: true })
  renameSync('state.json.new', 'state.json')
}

/** Counts the next page before it is bought: a killed process cannot say whether it was charged. */
const saveBeforeNextPage = () => save(Math.max(0, budget.remaining - pagePrice))

try {
  saveBeforeNextPage()
  for await (const page of client.microblog.search(params, { budget }).resume({ next }).pages()) {
    const lines = page.posts.map((post) => `${JSON.stringify(post)}\n`).join('')
    appendFileSync(file, lines, { flush: true }) // the posts first, then the state that counts them
    bytes += Buffer.byteLength(lines)
    next = page.next
    saveBeforeNextPage()
    console.log(`${page.posts.length} posts, ${budget.remaining} of ${creditLimit} credits left`)
  }
  console.log('All posts are in posts.jsonl')
} catch (error) {
  if (!isSocialSearchError(error)) throw error
  // You paid for this page: keep it, even though it does not have the documented shape.
  if (error.code === 'invalid_response') writeFileSync('posts.unexpected.json', JSON.stringify(error.body))
  console.error(`${error.name}: ${error.message} (charged: ${error.charged})`)
  process.exitCode = 1
} finally {
  save(budget.remaining)
}

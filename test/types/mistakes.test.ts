import { describe, expect, it } from 'vitest'
import { languageServiceFor } from '../support/typescript.ts'

/** What people write at first, and the first line of what the compiler says of it. */
const mistakes: [mistake: string, code: string, said: string][] = [
  [
    'a forgotten await',
    'client.microblog.search({ query }).posts',
    "Property 'posts' does not exist on type 'PagedCall<MicroblogSearchPage<MicroblogPost>",
  ],
  [
    'all items without a limit',
    'client.microblog.search({ query }).toArray()',
    'Expected 1 arguments, but got 0',
  ],
  [
    'the params alone',
    'client.microblog.search(query)',
    "Argument of type 'string' is not assignable to parameter of type 'MicroblogSearchParams'",
  ],
  [
    'a param of another call',
    'client.microblog.search({ q: query })',
    "'q' does not exist in type 'MicroblogSearchParams'",
  ],
  [
    'a value in lower case',
    "client.microblog.search({ query, category: 'latest' })",
    'Did you mean \'"Latest"\'?',
  ],
  [
    'a number as text',
    "client.microblog.search({ query, count: '20' })",
    "Type 'string' is not assignable to type 'number'",
  ],
  [
    'a Date',
    'client.microblog.search({ query, filters: { since: new Date() } })',
    "Type 'Date' is not assignable to type 'string'",
  ],
  [
    'an option among params',
    'client.microblog.search({ query, signal })',
    "'signal' does not exist in type 'MicroblogSearchParams'",
  ],
  [
    'an option among params that are open',
    'client.technews.search({ query, budget })',
    "Type 'CreditBudget' is not assignable to type 'undefined'",
  ],
  [
    'an option with a typing error',
    'client.microblog.search({ query }, { timout: 5000 })',
    "Did you mean to write 'timeout'?",
  ],
  [
    'a field of another network',
    'client.professionalnet.posts.search({ query }).then(({ posts }) => posts[0]!.id)',
    "Property 'id' does not exist on type 'ProfessionalnetPost'",
  ],
  [
    'a record in place of its id',
    "client.mentions.get({ id: 'men_1' })",
    "is not assignable to parameter of type 'string'",
  ],
  [
    'a write without what it writes',
    "client.mentions.setState('men_1')",
    'Expected 2-3 arguments, but got 1',
  ],
  [
    'a client without an address',
    "new SocialSearch({ apiKey: 'key' })",
    "is not assignable to parameter of type 'ClientOptions'",
  ],
  [
    'a period that no budget has',
    "new CreditBudget(5, { every: 'week' })",
    "Type '\"week\"' is not assignable to type 'Period | undefined'",
  ],
  [
    'a code that no error has',
    "if (isSocialSearchError(error) && error.code === 'budget_exceeded') throw error",
    'have no overlap',
  ],
]

/** What is right, and near a mistake. */
const right = [
  'client.microblog.search({ query }, { limit: 9 }).toArray()',
  'client.microblog.search({ query }).toArray({ limit: 9 })',
  'client.mentions.list({}, { limit: 9 }).resume(null).toArray()',
  "client.technews.search({ query, by: 'date' }, { budget, signal })",
  'const call: PagedCall<MicroblogSearchPage, MicroblogPost> = client.microblog.search({ query }, { limit: 9 })',
  'if (isSocialSearchError(error)) [error.status, error.retryAfter, error.body, error.next, error.option, error.budget?.needed]',
]

const head = [
  "import { CreditBudget, type MicroblogPost, type MicroblogSearchPage, type PagedCall, SocialSearch, isSocialSearchError } from '../src/index.ts'",
  'declare const client: SocialSearch, budget: CreditBudget, signal: AbortSignal, query: string, error: unknown',
]
const files = [...mistakes.map(([, code]) => code), ...right].map(
  (code, index) => [`mistake-${index}.ts`, [...head, code].join('\n')] as const,
)
const { errorsOf } = languageServiceFor(new Map(files))

// The first answer of the service compiles the project.
describe('the compiler', { timeout: 120_000 }, () => {
  it.each(mistakes.map(([mistake, code, said], index) => ({ mistake, code, said, index })))(
    'says in its first line what is wrong: $mistake',
    ({ said, index }) => {
      const [error = '', ...others] = errorsOf(`mistake-${index}.ts`)
      expect(others).toEqual([])
      expect(error.split('\n', 1).join('')).toContain(said)
    },
  )

  it.each(right.map((code, index) => ({ code, index })))('takes what is right: $code', ({ index }) => {
    expect(errorsOf(`mistake-${mistakes.length + index}.ts`)).toEqual([])
  })
})

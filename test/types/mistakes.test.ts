import { describe, expect, it } from 'vitest'
import { languageServiceFor } from '../support/typescript.ts'

/** What people write at first, and what the first line of the compiler says of it. */
const mistakes: Readonly<Record<string, string>> = {
  'client.microblog.search({ query }).posts':
    "Property 'posts' does not exist on type 'PagedCall<MicroblogSearchPage<MicroblogPost>",
  'client.microblog.search({ query }).toArray()': 'Expected 1 arguments, but got 0',
  'client.microblog.search(query)':
    "Argument of type 'string' is not assignable to parameter of type 'MicroblogSearchParams'",
  'client.microblog.search({ q: query })': "'q' does not exist in type 'MicroblogSearchParams'",
  "client.microblog.search({ query, category: 'latest' })": 'Did you mean \'"Latest"\'?',
  "client.microblog.search({ query, count: '20' })": "Type 'string' is not assignable to type 'number'",
  'client.microblog.search({ query, filters: { since: new Date() } })':
    "Type 'Date' is not assignable to type 'string'",
  'client.microblog.search({ query, signal })': "'signal' does not exist in type 'MicroblogSearchParams'",
  'client.technews.search({ query, budget })': "Type 'CreditBudget' is not assignable to type 'undefined'",
  'client.microblog.search({ query }, { timout: 5000 })': "Did you mean to write 'timeout'?",
  'client.professionalnet.posts.search({ query }).then(({ posts }) => posts[0]!.id)':
    "Property 'id' does not exist on type 'ProfessionalnetPost'",
  "client.mentions.get({ id: 'men_1' })": "is not assignable to parameter of type 'string'",
  "client.mentions.setState('men_1')": 'Expected 2-3 arguments, but got 1',
  "new SocialSearch({ apiKey: 'key' })": "is not assignable to parameter of type 'ClientOptions'",
  "new CreditBudget(5, { every: 'week' })": "Type '\"week\"' is not assignable to type 'Period | undefined'",
  "if (isSocialSearchError(error) && error.code === 'budget_exceeded') throw error": 'have no overlap',
}

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
const programs = [...Object.keys(mistakes), ...right]
const nameOf = (code: string) => `program-${programs.indexOf(code)}.ts`
const { errorsOf } = languageServiceFor(
  new Map(programs.map((code) => [nameOf(code), [...head, code].join('\n')])),
)

// The first answer of the service compiles the project.
describe('the compiler', { timeout: 120_000 }, () => {
  it.each(Object.entries(mistakes))('says in its first line what is wrong: %s', (code, said) => {
    const [error = '', ...others] = errorsOf(nameOf(code))
    expect(others).toEqual([])
    expect(error.split('\n', 1).join('')).toContain(said)
  })

  it.each(right)('takes what is right: %s', (code) => expect(errorsOf(nameOf(code))).toEqual([]))
})

import { describe, expect, it } from 'vitest'
import type { Operation } from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import { cardOf } from '../../src/cli/card.ts'
import { createFormatter } from '../../src/cli/formats.ts'
import { widthOf } from '../../src/cli/text-layout.ts'
import { createSandbox } from '../../src/extensions/sandbox/index.ts'
import { call, networkOf } from '../sandbox/helpers.ts'

const { posts, people } = networkOf(1)
const profileUrl = people[0]?.url
const postUrl = posts.find(({ post }) => post.social_details.numComments > 0)?.post.share_url
const bodies: Record<string, object> = {
  'microblog.search': { query: 'coffee' },
  'professionalnet.posts.search': { query: 'coffee' },
  'professionalnet.person.posts': { profileUrl },
  'professionalnet.person.comments': { profileUrl },
  'professionalnet.posts.comments': { postUrl },
  'professionalnet.posts.reactions': { postUrl },
  'technews.search': { query: 'coffee' },
}

/** What a terminal of 80 columns shows of the records of an operation by default. */
async function shown(operation: Operation): Promise<string> {
  const { id, list = '', path, method } = operation
  const sandbox = createSandbox({ limits: { perMinute: false } })
  const { body } = await call(sandbox, `${method} ${path}`, bodies[id])
  const records = body[list] as unknown[]
  expect(records.length).toBeGreaterThan(0)
  const format = cardOf(id) !== undefined ? 'card' : 'table'
  return createFormatter(format, operation, { fields: undefined, width: 80 }).page(records)
}

/** Fields that a person looks for. */
const wanted: Record<string, RegExp> = {
  'microblog.search': /@\w+ · 20\d\d-[^]*♥ [^]*https:\/\//,
  'professionalnet.posts.search': /· 20\d\d-[^]*♥ [^]*https:\/\//,
  'professionalnet.posts.comments': /^authorName .*text[^]*\n {2}https:\/\//,
  'technews.search': /^id .*title/,
  'mentions.list': /^id .*text/,
  'listeners.list': /^id .*name/,
  'feeds.list': /^id .*name/,
}

const kinds: readonly (readonly [string, Operation])[] = operations
  .filter((operation) => 'list' in operation)
  .map((operation) => [operation.id, operation])

describe.each(kinds)('%s at 80 columns', (id, operation) => {
  it('shows the main fields of each record in lines that fit, except for addresses', async () => {
    const text = await shown(operation)
    expect(text).toMatch(wanted[id] ?? /\S/)
    expect(text).not.toContain('{"')
    for (const line of text.split('\n')) {
      const withoutAddress = line.replace(/https?:\/\/\S+/g, '')
      expect(widthOf(withoutAddress), line).toBeLessThanOrEqual(80)
    }
  })
})

import { describe, expect, it } from 'vitest'
import type { Operation } from '../../src/api/operation.ts'
import { operations } from '../../src/api/operations.ts'
import { cardOf } from '../../src/cli/card.ts'
import { createFormatter } from '../../src/cli/formats.ts'
import { widthOf } from '../../src/cli/text-layout.ts'
import { createSandbox } from '../../src/extensions/sandbox/index.ts'
import { call, networkOf } from '../sandbox/helpers.ts'

const { posts, people, companies } = networkOf(1)
const profileUrl = people[0]?.url
const postUrl = posts.find(({ post }) => post.social_details.numComments > 0)?.post.share_url
const bodies: Record<string, object> = {
  'microblog.search': { query: 'coffee' },
  'professionalnet.posts.search': { query: 'coffee' },
  'professionalnet.company.get': { url: companies[0]?.url },
  'professionalnet.person.posts': { profileUrl },
  'professionalnet.person.comments': { profileUrl },
  'professionalnet.posts.comments': { postUrl },
  'professionalnet.posts.reactions': { postUrl },
  'technews.search': { query: 'coffee' },
  'mentions.setState': { state: 'done' },
}

/** What a terminal of 80 columns shows of the records of an operation by default. */
async function shown(operation: Operation): Promise<string> {
  const { id, list, path, method } = operation
  const sandbox = createSandbox({ limits: { perMinute: false } })
  const group = path.split('/')[1] ?? ''
  const record = path.includes('{id}') ? (await call(sandbox, `GET /${group}`)).body[group][0].id : ''
  const { body } = await call(sandbox, `${method} ${path.replace('{id}', String(record))}`, bodies[id], {
    key: sandbox.writeKey,
  })
  const records = (list === undefined ? [body] : body[list]) as unknown[]
  expect(records.length).toBeGreaterThan(0)
  const format = list === undefined || cardOf(id) !== undefined ? 'card' : 'table'
  return createFormatter(format, operation, { fields: undefined, width: 80 }).page(records)
}

/** Fields that a person looks for. */
const wanted: Record<string, RegExp> = {
  'microblog.search': /@\w+ · 20\d\d-[^]*♥ [^]*https:\/\//,
  'professionalnet.posts.search': /· 20\d\d-[^]*♥ [^]*https:\/\//,
  'professionalnet.company.get': /^id .*\nname .*[^]*\ndescription .*\n {2,}[^]*\nheadquarter\.city /,
  'professionalnet.posts.comments': /^authorName .*text[^]*\n {2}https:\/\//,
  'technews.search': /^id .*title/,
  'mentions.list': /^id .*text/,
  'mentions.get': /^id +men_\w+\n[^]*\ntext /,
  'mentions.count': /^count +\d+\n$/,
  'listeners.list': /^id .*name/,
  'listeners.get': /^id +lis_\w+\nname /,
  'feeds.list': /^id .*name/,
  'organization.usage': /^periodStart +20\d\d-\d\d-\d\d \d\d:\d\d\nperiodEnd[^]*\ncreditsSpent +0\n/,
  'organization.context': /^name .*\ndescription /,
}

const kinds: readonly (readonly [string, Operation])[] = operations
  .filter(({ id }) => id !== 'openapi')
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

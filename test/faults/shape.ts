import { comments, post } from '../support/pages.ts'
import { makeClient, ok } from '../support/service.ts'
import { type Faults } from './case.ts'
import { costs, ending, kept, outcomeOf, searched, success } from './observe.ts'

/** A request id that a search was answered with, as it is handed on. */
async function idOf(requestId: unknown): Promise<string> {
  const { value, error, client } = await searched(JSON.stringify({ ...success, requestId }))
  if (value === undefined) return `${ending(error)}, requestId absent; ${costs(client, error)}`
  const fetch = () => Promise.resolve(ok({ ...success, requestId }))
  const whole = await makeClient({ fetch }).microblog.search({ query: 'rust' }).withResponse()
  const { length } = whole.requestId ?? ''
  const printable = /^[\x21-\x7e]+$/.test(whole.requestId ?? '') ? 'one printable word' : 'not printable'
  return `answered, requestId ${printable} of ${length} characters`
}

/** Comments whose meta says that they cost so much. */
async function commentsFor(creditsCharged: unknown): Promise<string> {
  const client = makeClient({ fetch: () => Promise.resolve(ok(comments(1, creditsCharged))) })
  const { error } = await outcomeOf(client.professionalnet.posts.comments({ postUrl: 'https://x.example/1' }))
  return `${ending(error)}; ${costs(client, error)}`
}

export const shape: Faults = {
  'a field that is not documented': async () => {
    const { value, error } = await searched(JSON.stringify({ ...success, further: 'kept' }))
    return `${ending(error)}, ${value?.['further'] as string}`
  },
  'a new value of a documented list': async () => {
    const answer = new Response('{"requestId":"r","error":{"code":"brewing"}}', { status: 418 })
    const client = makeClient({ fetch: () => Promise.resolve(answer) })
    const { error } = await outcomeOf(client.microblog.search({ query: 'rust' }))
    return `${ending(error)}, code "${(error as { code: string }).code}"`
  },
  'a post of another shape': () => kept(JSON.stringify({ ...success, posts: [{ ...post('1'), id: 1 }] })),
  'a post of another shape, with validation: lenient': async () => {
    const posts = [post('1'), { ...post('2'), author: null }, post('3')]
    const { value, client } = await searched(JSON.stringify({ ...success, posts }), {
      validation: 'lenient',
    })
    const { posts: delivered, invalid } = value as { posts: unknown[]; invalid: unknown[] }
    return `answered ${delivered.length} posts, ${invalid.length} set apart; ${costs(client, undefined)}`
  },
  'JSON that is null': () => kept('null'),
  'JSON that is 5': () => kept('5'),
  'JSON that is "abc"': () => kept('"abc"'),
  'JSON that is [1]': () => kept('[1]'),
  'a page without requestId': () => kept(JSON.stringify({ ...success, requestId: undefined })),
  'a requestId that is a number': () => idOf(5),
  'a requestId of 1 MB': () => idOf('x'.repeat(2 ** 20)),
  'a requestId with line breaks and terminal codes': () => idOf('req_1\r\n\u001b[31mé\u2028'),
  'a creditsCharged that is negative': () => commentsFor(-1),
  'a creditsCharged above the reserved credits': () => commentsFor(250),
  'a creditsCharged that is a fraction': () => commentsFor(1.5),
  'a creditsCharged that is a string': () => commentsFor('3'),
  'a creditsCharged that is null': () => commentsFor(null),
  'a creditsCharged that is too large for a number': () => commentsFor(1e300),
}

import { post } from '../support/pages.ts'
import { makeClient, ok } from '../support/service.ts'
import { group } from './case.ts'
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
  const comment = {
    profileUrl: '',
    authorName: '',
    authorHeadline: '',
    text: '',
    timestamp: '',
    permalink: '',
  }
  const body = { requestId: 'r', comments: [comment], meta: { returnedCount: 1, total: 1, creditsCharged } }
  const client = makeClient({ fetch: () => Promise.resolve(ok(body)) })
  const { error } = await outcomeOf(client.professionalnet.posts.comments({ postUrl: 'https://x.example/1' }))
  return `${ending(error)}; ${costs(client, error)}`
}

const uncertain = 'InvalidResponseError; charged unknown, spent 0, uncertain 100'
const unclear = 'the cost is unknown: the reserved credits are uncertain, and the comments are kept'

export const shape = group('shape', [
  {
    id: 158,
    name: 'a field that is not documented',
    expected: 'accepted and kept: the service may add fields',
    observed: 'answered, kept',
    run: async () => {
      const { value, error } = await searched(JSON.stringify({ ...success, further: 'kept' }))
      return `${ending(error)}, ${value?.['further'] as string}`
    },
  },
  {
    id: 159,
    name: 'a new value of a documented list',
    expected: 'accepted and kept: the service may add values, such as an error code',
    observed: 'ApiError 418, code "brewing"',
    run: async () => {
      const answer = new Response('{"requestId":"r","error":{"code":"brewing"}}', { status: 418 })
      const client = makeClient({ fetch: () => Promise.resolve(answer) })
      const { error } = await outcomeOf(client.microblog.search({ query: 'rust' }))
      return `${ending(error)}, code "${(error as { code: string }).code}"`
    },
  },
  {
    id: 160,
    name: 'a post of another shape',
    expected: "named and kept: the page is paid for, and has the service's requestId",
    observed: 'InvalidResponseError, posts.0.id named, body kept; charged yes, spent 2, uncertain 0',
    run: () => kept(JSON.stringify({ ...success, posts: [{ ...post('1'), id: 1 }] })),
  },
  {
    id: 161,
    name: 'a post of another shape, with validation: lenient',
    expected: 'the other posts are delivered, and this one is in `page.invalid`',
    observed: 'answered 2 posts, 1 set apart; spent 2, uncertain 0',
    run: async () => {
      const posts = [post('1'), { ...post('2'), author: null }, post('3')]
      const { value, client } = await searched(JSON.stringify({ ...success, posts }), {
        validation: 'lenient',
      })
      const { posts: delivered, invalid } = value as { posts: unknown[]; invalid: unknown[] }
      return `answered ${delivered.length} posts, ${invalid.length} set apart; ${costs(client, undefined)}`
    },
  },
  ...(['null', '5', '"abc"', '[1]'] as const).map((text, index) => ({
    id: 162 + index,
    name: `JSON that is ${text}`,
    expected: 'an error, without a crash',
    observed: 'InvalidResponseError, the whole named, body kept; charged yes, spent 0, uncertain 2',
    run: () => kept(text),
  })),
  {
    id: 166,
    name: 'a page without requestId',
    expected: "not of the documented shape, and perhaps not the service's, so uncertain",
    observed: 'InvalidResponseError, requestId named, body kept; charged yes, spent 0, uncertain 2',
    run: () => kept(JSON.stringify({ ...success, requestId: undefined })),
  },
  {
    id: 167,
    name: 'a requestId that is a number',
    expected: "not of the documented shape, and perhaps not the service's, so uncertain",
    observed: 'InvalidResponseError, requestId absent; charged yes, spent 0, uncertain 2',
    run: () => idOf(5),
  },
  {
    id: 168,
    name: 'a requestId of 1 MB',
    expected: 'shortened for logs',
    observed: 'answered, requestId one printable word of 128 characters',
    run: () => idOf('x'.repeat(2 ** 20)),
  },
  {
    id: 169,
    name: 'a requestId with line breaks and terminal codes',
    expected: 'cleaned, since logs contain it',
    observed: 'answered, requestId one printable word of 9 characters',
    run: () => idOf('req_1\r\n\u001b[31mé\u2028'),
  },
  {
    id: 170,
    name: 'a creditsCharged that is negative',
    expected: 'never subtracted: the comments are delivered, and the reserved credits are uncertain',
    observed: 'answered; spent 0, uncertain 100',
    run: () => commentsFor(-1),
  },
  {
    id: 171,
    name: 'a creditsCharged above the reserved credits',
    expected: "the service's value counts: the ledger must not be lower",
    observed: 'answered; spent 250, uncertain 0',
    run: () => commentsFor(250),
  },
  ...(
    [
      [172, 'a fraction', 1.5],
      [173, 'a string', '3'],
      [174, 'null', null],
      [175, 'too large for a number', 1e300],
    ] as const
  ).map(([id, kind, value]) => ({
    id,
    name: `a creditsCharged that is ${kind}`,
    expected: unclear,
    observed: uncertain,
    run: () => commentsFor(value),
  })),
])

import { channel } from 'node:diagnostics_channel'
import { describe, expect, it } from 'vitest'
import { FollowedRequest } from '../../../src/core/http/undici.ts'

const url = 'https://api.example.com/v1/data?page=1'
const { origin } = new URL(url)
const request = (path = '/v1/data?page=1') => ({ request: { origin, path }, error: new Error('broken') })

/** What a channel tells; without a message, of the request of the test. */
type Message = [name: string, message?: object]
const made: Message = ['request:create']
const failed: Message = ['request:error']
const sending: Message = ['client:sendHeaders']
const sentBody: Message = ['request:bodySent']
const madeOther: Message = ['request:create', request('/v1/log')]
const sendingOther: Message = ['client:sendHeaders', request('/v1/log')]
const sendingToAddress: Message = [
  'client:sendHeaders',
  { request: { origin: 'https://127.0.0.1', path: '/v1/data?page=1' } },
]
const sendingAgain: Message = ['client:sendHeaders', request()]

/** A request of fetch, of which Node tells this before fetch returns, and this before it ends. */
async function followedThrough(during: Message[], after: Message[], isUsers = false) {
  const abort = new AbortController()
  const followed = new FollowedRequest(url, abort.signal)
  const own = request()
  const publish = ([name, message = own]: Message): void => channel(`undici:${name}`).publish(message)
  const fetch = async (): Promise<void> => {
    during.forEach(publish)
    // Another call begins meanwhile.
    await new FollowedRequest(`${origin}/v1/other`, abort.signal).follow(() => Promise.resolve(), false)
    after.forEach(publish)
    throw own.error
  }
  await followed.follow(fetch, isUsers).catch(() => {})
  expect(followed.isUnsent).toBe(false)
  abort.abort()
  return followed
}

describe('FollowedRequest.isUnsent', () => {
  it.each<[boolean, when: string, during: Message[], after?: Message[]]>([
    [true, 'a request is aborted whose headers were not written', [made]],
    [true, 'only the headers of another one were written', [madeOther, made], [sendingOther]],
    [false, 'nothing tells of the request, as of a fetch that is not Node’s', []],
    [false, 'something tells of another request alone', [madeOther]],
    [true, 'a dispatcher makes it later', [], [made]],
    [false, 'its headers are being written', [made], [sending]],
    [false, 'its body is sent: over HTTP/2, undici 6 tells no more', [made], [sentBody]],
    [false, 'it failed: a dispatcher may send another one in its place', [made], [failed]],
    [false, 'another one is sent to its URL', [made], [sendingAgain]],
  ])('is %s when %s', async (isUnsent, _, during, after = []) => {
    expect((await followedThrough(during, after)).isUnsent).toBe(isUnsent)
  })

  it('is false when the fetch is the user’s, which may drop the signal', async () => {
    expect((await followedThrough([made], [], true)).isUnsent).toBe(false)
  })

  it('is true when its abort is its failure', async () => {
    const abort = new AbortController()
    const followed = new FollowedRequest(url, abort.signal)
    const own = request()
    const fetch = () => {
      channel('undici:request:create').publish(own)
      abort.abort()
      channel('undici:request:error').publish(own)
      return Promise.reject(new Error('aborted'))
    }
    await followed.follow(fetch, false).catch(() => {})
    expect(followed.isUnsent).toBe(true)
  })
})

it.each(['request:create', 'client:connectError', 'client:sendHeaders', 'request:bodySent', 'request:error'])(
  'follow() survives %s with another message, or the reason of an abort that is no object',
  async (name) => {
    const messages: Message[] = [
      [name, {}],
      [name, { ...request(), error: 'left' }],
    ]
    await followedThrough(messages, messages)
    // What a channel has to say of an error comes in the next tick.
    await new Promise((resolve) => setImmediate(resolve))
  },
)

describe('FollowedRequest.isProof()', () => {
  const path = '/v1/data?page=1'

  it.each<[boolean, when: string, isUsers: boolean, during: Message[], after?: Message[]]>([
    [false, 'a fetch of the user sends it later', true, [], [made, sending, failed]],
    [false, 'Node’s fetch sends it', false, [made], [sending, failed]],
    [false, 'a dispatcher sends another one in its place', false, [made], [failed, made, sendingAgain]],
    [false, 'a dispatcher sends it to an address', false, [made], [sendingToAddress]],
    [true, 'a fetch of the user sends another one', true, [made], [sendingOther]],
    [true, 'it fails before it is sent', false, [made], [failed]],
  ])(
    'is %s for an error that says that nothing was sent, when %s',
    async (isProof, _, isUsers, during, after = []) => {
      const followed = await followedThrough(during, after, isUsers)
      expect(followed.isProof([path], true)).toBe(isProof)
      // A server may refuse what it was sent.
      expect(followed.isProof([path], false)).toBe(true)
    },
  )

  it('is true when only other searches for the same are sent meanwhile, and overtake it', async () => {
    const first = new FollowedRequest(url, new AbortController().signal)
    const own = request()
    const waiting = Promise.withResolvers<void>()
    const fetch = async () => {
      await waiting.promise
      channel('undici:request:create').publish(own)
      throw own.error
    }
    const pending = first.follow(fetch, true).catch(() => {})
    expect((await followedThrough([made], [sending], true)).isProof([path], true)).toBe(false)
    waiting.resolve()
    await pending
    expect(first.isProof([path], true)).toBe(true)
  })

  it('is false when another search makes its request, as in a pool of undici 6', async () => {
    const queued = new FollowedRequest(url, new AbortController().signal)
    const answering = Promise.withResolvers<void>()
    const pending = queued.follow(() => answering.promise, false)
    const own = request()
    await followedThrough([made, ['request:create', own]], [['client:sendHeaders', own]])
    expect(queued.isProof([], true)).toBe(false)
    answering.resolve()
    await pending
  })

  it('is false after an answer', async () => {
    const followed = new FollowedRequest(url, new AbortController().signal)
    await followed.follow(() => Promise.resolve(), false)
    expect([followed.isProof([], true), followed.isProof([], false)]).toEqual([false, false])
  })

  it.each<[boolean, paths: string[], when: string, isUsers: boolean, ...told: Message[]]>([
    [false, ['/v1/log'], 'a fetch of the user has sent what failed to another path', true, made],
    [false, [path], 'a queue in the user’s fetch has made it for another call', true],
    [false, [path], 'a queue around Node’s fetch has made it for another call', false],
    [false, [], 'the request of the user’s fetch has not failed', true, made],
    [true, [], 'it has failed', true, made, failed],
    [true, ['/v1/log', path], 'what failed went to its path, at whatever host', true, made, failed],
    [true, [], 'nothing tells of the request, as of a fetch that is not Node’s', true],
    [true, ['/v1/log'], 'Node’s fetch has sent it to a proxy', false, made],
  ])('is %s for an error of requests to %j when %s', async (isProof, paths, _, isUsers, ...told) => {
    const followed = await followedThrough([], told, isUsers)
    for (const isUnsent of [true, false]) expect(followed.isProof(paths, isUnsent)).toBe(isProof)
  })
})

import { channel } from 'node:diagnostics_channel'
import { describe, expect, it } from 'vitest'
import { FollowedRequest, following } from '../../../src/core/http/undici.ts'

const url = 'https://api.example.com/v1/data?page=1'
const { origin } = new URL(url)
const request = (path = '/v1/data?page=1') => ({ request: { origin, path }, error: new Error('broken') })

/** What a channel tells; without a message, of the request of the test. */
type Message = [name: string, message?: object]
const made: Message = ['request:create']
const failed: Message = ['request:error']
const sending: Message = ['client:sendHeaders']
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
  const followed = Object.assign(new FollowedRequest(url, abort.signal), { isUsers })
  const own = request()
  const publish = ([name, message = own]: Message): void => channel(`undici:${name}`).publish(message)
  const fetch = async (): Promise<void> => {
    during.forEach(publish)
    await Promise.resolve()
    after.forEach(publish)
    throw own.error
  }
  await following(followed, fetch).catch(() => {})
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
    [false, 'it is made later', [], [made]],
    [false, 'its headers are being written', [made], [sending]],
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
    await following(followed, fetch).catch(() => {})
    expect(followed.isUnsent).toBe(true)
  })

  it('is false when its origin has an HTTP/2 connection, since not all versions tell what they send there', async () => {
    const silent = new URL('https://h2.example.com/v1/data')
    const { protocol, host, pathname: path } = silent
    const abort = new AbortController()
    const followed = new FollowedRequest(silent.href, abort.signal)
    const fetch = () => {
      const socket = { alpnProtocol: 'h2' }
      channel('undici:client:connected').publish({ connectParams: { protocol, host }, socket })
      channel('undici:request:create').publish({ request: { origin: silent.origin, path } })
      abort.abort()
      return Promise.reject(new Error('aborted'))
    }
    await following(followed, fetch).catch(() => {})
    expect(followed.isUnsent).toBe(false)
  })
})

it.each(['request:create', 'client:connected', 'client:connectError', 'client:sendHeaders', 'request:error'])(
  'following() survives %s with another message, or the reason of an abort that is no object',
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

describe('FollowedRequest.progress', () => {
  it.each<[string, when: string, isUsers: boolean, during: Message[], after?: Message[]]>([
    ['sent', 'a fetch of the user sends it later', true, [], [made, sending]],
    ['sent', 'Node’s fetch sends it', false, [made], [sending]],
    ['sent', 'a dispatcher sends another one in its place', false, [made], [failed, sendingAgain]],
    ['sent', 'a dispatcher sends it to an address', false, [made], [sendingToAddress]],
    ['unknown', 'a fetch of the user sends another one', true, [], [sendingOther]],
    ['unknown', 'it fails before it is sent', false, [made], [failed]],
  ])('is %s when %s', async (progress, _, isUsers, during, after = []) => {
    expect((await followedThrough(during, after, isUsers)).progress).toBe(progress)
  })

  it('stays unknown when Node’s fetch sends another request to the same URL', async () => {
    const first = new FollowedRequest(url, new AbortController().signal)
    const waiting = Promise.withResolvers<void>()
    const pending = following(first, () => waiting.promise)
    expect((await followedThrough([made], [sending])).progress).toBe('sent')
    expect(first.progress).toBe('unknown')
    waiting.resolve()
    await pending
    expect(first.progress).toBe('answered')
  })
})

describe('FollowedRequest.isOfAnother()', () => {
  const path = '/v1/data?page=1'
  it.each<[boolean, paths: string[], when: string, isUsers: boolean, ...told: Message[]]>([
    [true, ['/v1/log'], 'a fetch of the user has sent what failed to another path', true],
    [true, [], 'the request of the user’s fetch has not failed', true, made],
    [false, [], 'it has failed', true, made, failed],
    [false, ['/v1/log', path], 'what failed went to its path, at whatever host', true, made, failed],
    [false, [], 'nothing tells of the request, as of a fetch that is not Node’s', true],
    [false, ['/v1/log'], 'Node’s fetch has sent it to a proxy', false, made],
  ])('is %s for an error of requests to %j when %s', async (isOfAnother, paths, _, isUsers, ...told) => {
    expect((await followedThrough([], told, isUsers)).isOfAnother(paths)).toBe(isOfAnother)
  })
})

import { channel } from 'node:diagnostics_channel'
import { describe, expect, it } from 'vitest'
import { FollowedRequest, following } from '../../../src/core/http/undici.ts'

const url = 'https://api.example.com/v1/data?page=1'
const { origin, host, protocol } = new URL(url)
const request = (path = '/v1/data?page=1') => ({ request: { origin, path } })

/** What a channel tells; without a message, of the request of the test. */
type Message = [name: string, message?: object]
const made: Message = ['request:create']
const opening: Message = ['client:beforeConnect', { connectParams: { protocol, host } }]
const opened: Message = ['client:connected', { connectParams: { protocol, host } }]
const sending: Message = ['client:sendHeaders']
const madeOther: Message = ['request:create', request('/v1/log')]
const sendingOther: Message = ['client:sendHeaders', request('/v1/log')]
const elsewhere = { connectParams: { protocol, host: 'log.example.com' } }

/** A request of fetch, of which Node tells this before fetch returns, and this before it ends. */
async function followedThrough(during: Message[], after: Message[], isUsers = false) {
  const abort = new AbortController()
  const followed = new FollowedRequest(url, abort.signal)
  const own = request()
  const publish = ([name, message = own]: Message): void => channel(`undici:${name}`).publish(message)
  const fetch = async (): Promise<void> => {
    during.forEach(publish)
    await Promise.resolve()
    after.forEach(publish)
    throw new Error('broken')
  }
  await following(followed, isUsers, fetch).catch(() => {})
  expect(followed.isUnsent).toBe(false)
  abort.abort()
  return followed
}

describe('FollowedRequest.isUnsent', () => {
  it.each<[boolean, when: string, during: Message[], after?: Message[]]>([
    [true, 'it is aborted while its connection is being opened', [made, opening]],
    [true, 'its connection is opened later', [made], [opening]],
    [true, 'only another one was sent', [made, opening], [sendingOther]],
    [true, 'a connection is open to elsewhere', [made, opening], [['client:connected', elsewhere]]],
    [true, 'its abort is its failure', [made, opening], [['request:error']]],
    [false, 'nothing tells of the request, as of a fetch that is not Node’s', []],
    [false, 'something tells of another request alone', [madeOther, opening]],
    [false, 'it is made later', [], [made, opening]],
    [false, 'no connection is opened for it, but it may take one that is open', [made]],
    [false, 'a connection is opened to elsewhere', [made, ['client:beforeConnect', elsewhere]]],
    [false, 'its connection is open, since not all versions tell what they send', [made, opening], [opened]],
    [false, 'its headers are being written', [made, opening], [sending]],
    [
      false,
      'a dispatcher sends another one in its place',
      [made, opening],
      [['client:sendHeaders', request()]],
    ],
  ])('is %s when %s', async (isUnsent, _, during, after = []) => {
    expect((await followedThrough(during, after)).isUnsent).toBe(isUnsent)
  })

  it('is false when the fetch is the user’s, which may drop the signal', async () => {
    expect((await followedThrough([made, opening], [], true)).isUnsent).toBe(false)
  })
})

describe('FollowedRequest.progress', () => {
  it.each<[string, when: string, isUsers: boolean, during: Message[], after?: Message[]]>([
    ['sent', 'a fetch of the user sends it later', true, [], [made, opened, sending]],
    ['sent', 'Node’s fetch sends it', false, [made, opening, opened], [sending]],
    ['unknown', 'a fetch of the user sends another one', true, [], [sendingOther]],
    ['unknown', 'its connection is open', false, [made, opening], [opened]],
  ])('is %s when %s', async (progress, _, isUsers, during, after = []) => {
    expect((await followedThrough(during, after, isUsers)).progress).toBe(progress)
  })

  it('stays unknown when Node’s fetch sends another request to the same URL', async () => {
    const first = new FollowedRequest(url, new AbortController().signal)
    const waiting = Promise.withResolvers<void>()
    const pending = following(first, false, () => waiting.promise)
    expect((await followedThrough([made], [sending])).progress).toBe('sent')
    expect(first.progress).toBe('unknown')
    waiting.resolve()
    await pending
    expect(first.progress).toBe('answered')
  })
})

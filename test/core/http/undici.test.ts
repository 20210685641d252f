import { channel } from 'node:diagnostics_channel'
import { describe, expect, it } from 'vitest'
import { FollowedRequest, following, watchUndici } from '../../../src/core/http/undici.ts'

const url = 'https://api.example.com/v1/data?page=1'
const request = () => ({ method: 'POST', origin: new URL(url).origin, path: '/v1/data?page=1' })

type Message = [name: string, request: object]

/** Whether a request counts as unsent that is aborted after these messages. */
function isUnsentAfter(during: Message[], ...after: Message[]): boolean {
  watchUndici()
  const abort = new AbortController()
  const followed = new FollowedRequest(url, abort.signal)
  const publish = ([name, request]: Message) => channel(`undici:${name}`).publish({ request })
  following(followed, () => during.forEach(publish))
  after.forEach(publish)
  expect(followed.isUnsent).toBe(false)
  abort.abort()
  return followed.isUnsent
}

describe('FollowedRequest.isUnsent', () => {
  const own = request()
  const other = { ...request(), path: '/v1/log' }
  const made: Message = ['request:create', own]
  const madeOther: Message = ['request:create', other]

  it.each<[boolean, when: string, during: Message[], ...after: Message[]]>([
    [true, 'a request is aborted whose headers were not written', [made]],
    [true, 'only the headers of another one were written', [madeOther, made], ['client:sendHeaders', other]],
    [false, 'nothing tells of the request, as of a fetch that is not Node’s', []],
    [false, 'something tells of another request alone', [madeOther]],
    [false, 'it is made later', [], made],
    [false, 'its headers were written', [made], ['client:sendHeaders', own]],
    [false, 'it failed: a dispatcher may have sent another one in its place', [made], ['request:error', own]],
  ])('is %s when %s', (isUnsent, _, during, ...after) => {
    expect(isUnsentAfter(during, ...after)).toBe(isUnsent)
  })

  it('stays true when its abort is its failure', () => {
    watchUndici()
    const aborted = request()
    const abort = new AbortController()
    const followed = new FollowedRequest(url, abort.signal)
    following(followed, () => channel('undici:request:create').publish({ request: aborted }))
    abort.abort()
    channel('undici:request:error').publish({ request: aborted })
    expect(followed.isUnsent).toBe(true)
  })
})

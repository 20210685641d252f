import { channel } from 'node:diagnostics_channel'
import { describe, expect, it } from 'vitest'
import { FollowedRequest, following, watchUndici } from '../../../src/core/http/network-error.ts'

const url = 'https://api.example.com/v1/data?page=1'
const request = () => ({ method: 'POST', origin: new URL(url).origin, path: '/v1/data?page=1' })

/** Whether a request counts as unsent that is aborted after these messages. */
function isUnsentAfter(during: [name: string, request: object][], ...after: [string, object][]): boolean {
  watchUndici()
  const abort = new AbortController()
  const followed = new FollowedRequest(url, abort.signal)
  const publish = ([name, request]: [string, object]) => channel(`undici:${name}`).publish({ request })
  following(followed, () => during.forEach(publish))
  after.forEach(publish)
  expect(followed.isUnsent).toBe(false)
  abort.abort()
  return followed.isUnsent
}

describe('FollowedRequest.isUnsent', () => {
  it('is true once a request is aborted whose headers were not written', () => {
    expect(isUnsentAfter([['request:create', request()]])).toBe(true)
    const other = { ...request(), path: '/v1/log' }
    const first: [string, object] = ['request:create', other]
    expect(isUnsentAfter([first, ['request:create', request()]], ['client:sendHeaders', other])).toBe(true)
  })

  it('is false if nothing tells of the request, as of a fetch that is not Node’s', () => {
    expect(isUnsentAfter([])).toBe(false)
    expect(isUnsentAfter([['request:create', { ...request(), path: '/v1/log' }]])).toBe(false)
    expect(isUnsentAfter([], ['request:create', request()])).toBe(false)
  })

  it('is false once its headers were written', () => {
    const sent = request()
    expect(isUnsentAfter([['request:create', sent]], ['client:sendHeaders', sent])).toBe(false)
  })

  it('is false once it failed: a dispatcher may have sent another one in its place', () => {
    const failed = request()
    expect(isUnsentAfter([['request:create', failed]], ['request:error', failed])).toBe(false)
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

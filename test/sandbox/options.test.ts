import { describe, expect, it } from 'vitest'
import { type Fault, createSandbox } from '../support/sandbox.ts'

/** A TypeError whose message contains a text. */
const typeError = (text: string): unknown =>
  expect.objectContaining({ name: 'TypeError', message: expect.stringContaining(text) as unknown })

describe('createSandbox()', () => {
  it.each<[object, string]>([
    [{ growth: -1 }, 'growth.perHour must be at least 0, got -1'],
    [{ growth: { perHour: NaN } }, 'growth.perHour must be a number, got NaN'],
    [{ growth: 3601 }, 'growth.perHour must be at most 3600, got 3601'],
    [{ posts: -1 }, 'posts must be at least 0, got -1'],
    [{ posts: 1e6 }, 'posts must be at most 100000, got 1000000'],
    [{ latency: -3 }, 'latency must be at least 0, got -3'],
    [{ latency: [20, -1] }, 'latency.1 must be at least 0, got -1'],
    [{ latency: [5] }, 'latency'],
    [{ limits: { inFlight: 0 } }, 'limits.inFlight must be at least 1, got 0'],
    [{ limits: { perMinute: -1 } }, 'limits.perMinute must be at least 1, got -1'],
    [{ limits: { windowMs: NaN } }, 'limits.windowMs must be a number, got NaN'],
    [{ keys: [{ key: 'two words', scopes: [] }] }, 'keys.0.key must have visible ASCII characters'],
    [{ now: new Date('soon') }, 'now must be a time since 1970'],
    [{ growth: { perHour: 1, since: new Date('soon') } }, 'growth.since must be a time since 1970'],
    [{ limits: { inflight: 1 } }, 'limits.inflight is not a known property'],
    [{ growth: { perhour: 1 } }, 'growth.perhour is not a known property'],
    [{ sede: 1 }, 'sede is not a known property'],
  ])('refuses the options %o', (options, message) => {
    expect(() => createSandbox(options)).toThrow(typeError(message))
  })

  it.each<[object, string]>([
    [{ professionalnet: [{ commentary: 5 }] }, '.professionalnet[0]: commentary must be a string'],
    [
      { professionalnet: [{ commentary: 'a', body: 'b' }] },
      '.professionalnet[0]: body is not a known property',
    ],
    [{ professionalnet: [{ commentary: 'a', postedAt: 'soon' }] }, '[0]: postedAt must be a time'],
    [{ professionalnet: ['post'] }, ': professionalnet.0 must be an object, got "post"'],
    [{ microblog: [null] }, ': microblog.0 must be an object, got null'],
    [{ microblog: 'posts' }, ': microblog must be an array'],
    [{ microblog: [{ body: 5 }] }, '.microblog[0]: body must be a string'],
    [{ microblog: [{ body: 'a', text: 'b' }] }, '.microblog[0]: text is not a known property'],
    [{ microblog: [{ body: 'a', timestamp: 'soon' }] }, '[0]: timestamp must be a time'],
    [{ companies: [null] }, ': companies.0 must be an object, got null'],
    [{ companies: [{ name: 5 }] }, '.companies[0]: name must be a string'],
    [{ companies: [{}] }, '.companies[0]: name is required'],
    [{ listeners: [{ id: 'x' }] }, '.listeners[0]: id must start with lis_'],
    [{ listeners: [{ keywords: 'acme' }] }, '.listeners[0]: keywords must be an array, got "acme"'],
    [{ listeners: ['acme'] }, ': listeners.0 must be an object'],
    [{ mentions: [{ publishedAt: 'soon' }] }, '.mentions[0]: publishedAt must be a time'],
    [{ tweets: [] }, ': tweets is not a known property'],
  ])('refuses the content %j', (content, message) => {
    expect(() => createSandbox({ content })).toThrow(typeError(message))
  })
})

describe('inject()', () => {
  it.each<[unknown, string]>([
    [{ code: 'teapot' }, 'fault: status must be 400 to 599 where code is teapot, got undefined'],
    [{ stauts: 500 }, 'fault: stauts is not a known property'],
    [null, 'fault: must be an object, got null'],
    [{ operation: 'microblog.serch' }, 'fault: operation must be one of microblog.search, '],
    [{ reset: 'later' }, 'fault: reset must be one of before, after, got "later"'],
    [{ cut: 'x' }, 'fault: cut must be one of stall, truncate, reset, got "x"'],
    [{ times: -1 }, 'fault: times must be at least 0, got -1'],
    [{ status: 503, skip: 1.5 }, 'fault: skip must be an integer, got 1.5'],
    [{ delay: '5' }, 'fault: delay must be a number, got "5"'],
    [{ status: 99 }, 'fault: status must be at least 200, got 99'],
    [{ status: 503, headers: ['a'] }, 'fault: headers must be'],
    [{ times: 2, cut: undefined }, 'fault must be a failure such as { status: 503 }'],
  ])('refuses the fault %j', (fault, message) => {
    expect(() => createSandbox().inject(fault as Fault)).toThrow(typeError(`inject() ${message}`))
  })
})

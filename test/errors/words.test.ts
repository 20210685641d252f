import { describe, expect, it } from 'vitest'
import { messages, sentences } from '../../scripts/docs/error-sentences.ts'
import * as words from '../../src/errors/words.ts'

const all = Object.entries(sentences).flatMap(([name, [, ...said]]) =>
  said.map((sentence) => [name, sentence] as const),
)

describe('the sentences of errors', () => {
  it('are all in the reference, each once', () => {
    const frames = ['costText', 'fullMessage', 'isPage', 'notSent', 'whatToDo']
    expect([...Object.keys(sentences), ...frames].sort()).toEqual(Object.keys(words).sort())
    const said = all.map(([, sentence]) => sentence)
    expect(said).toEqual([...new Set(said)])
  })

  it.each(all)('are parts of a message, and say nothing of the cost: %s: %s', (_, sentence) => {
    expect(sentence).toMatch(/^[a-z0-9].*[^.;,\s]$/)
    expect(sentence).not.toMatch(/charged|not sent|retry in|undefined|NaN|\[object|perhaps|ambiguous/)
    expect(sentence.length).toBeLessThan(180)
  })

  it('are put together with the call, the wait and the cost', () => {
    expect(messages).toEqual([
      'microblog.search: not sent: count must be at most 20, got 21',
      'microblog.search: rate limit reached (429). Retry in 90 s.',
      'microblog.search: the connection failed after the request was sent (ECONNRESET). You may have been charged 2 credits. Retry only if you can pay again.',
      'microblog.search: the response is not JSON (200, text/html: Welcome). You may have been charged 2 credits. Check the base URL.',
      'microblog.search: the response is not of the documented shape. You were charged 2 credits, and may have been charged 2 more. Check `error.body` before you retry.',
      'mentions.setState: the service answered 500. The change may have been applied. Check before you retry.',
    ])
  })
})

describe('costText()', () => {
  it.each([
    ['no', { spent: 0, uncertain: 0 }, ''],
    ['yes', { spent: 1, uncertain: 0 }, 'You were charged 1 credit'],
    ['yes', { spent: 0, uncertain: 0 }, 'You were charged 0 credits'],
    ['yes', { spent: 2, uncertain: 4 }, 'You were charged 2 credits, and may have been charged 4 more'],
    ['unknown', { spent: 0, uncertain: 100 }, 'You may have been charged 100 credits'],
    ['unknown', { spent: 2, uncertain: 2 }, 'You were charged 2 credits, and may have been charged 2 more'],
    // A budget that expects no items reserves nothing.
    ['unknown', { spent: 0, uncertain: 0 }, 'You may have been charged'],
  ] as const)('says of charged %s and %j: %s', (charged, credits, text) => {
    expect(words.costText({ charged, credits })).toBe(text)
  })
})

describe('whatToDo()', () => {
  const facts = { charged: 'no', credits: { spent: 0, uncertain: 0 } } as const

  it.each([
    [{ body: '{"posts":[', charged: 'unknown' }, 'Check `error.body` before you retry'],
    [{ body: { posts: null }, charged: 'yes' }, 'Check `error.body` before you retry'],
    [{ body: '\n<!doctype html>', charged: 'unknown' }, 'Check the base URL'],
    [{ body: '', charged: 'unknown' }, 'Retry only if you can pay again'],
    [{ code: 'pagination', charged: 'yes' }, 'Use the pages you have'],
    [{ code: 'pagination', charged: 'yes', body: {} }, 'Check `error.body` before you retry'],
    [{ applied: 'unknown', status: 500 }, 'Check before you retry'],
    [{ charged: 'unknown', retryAfter: 90, phase: 'headers' }, 'Retry only if you can pay again'],
    [{ status: 429, retryAfter: 89.2 }, 'Retry in 90 s'],
    [{ status: 429 }, 'Retry later'],
    [{ status: 503 }, 'Retry later'],
    [{ phase: 'connect' }, 'Check the base URL and the network'],
    [{ phase: 'tls' }, 'Check the base URL and the certificate'],
    // Of a proxy that cannot reach the service.
    [{ phase: 'connect', requestId: 'proxy_1' }, 'Retry later'],
    [{ phase: 'tls', requestId: 'proxy_1' }, 'Retry later'],
    [{ phase: 'queue' }, 'Retry later'],
    [{ status: 400 }, 'Correct the request'],
    [{ status: 401 }, 'Sign in again, or replace `apiKey`'],
    [{ status: 401, gateway: true }, 'Sign in again'],
    [{ status: 401, proxy: true }, 'Sign in again'],
    [{ status: 403 }, ''],
    [{ status: 403, proxy: true }, 'Ask whoever runs the proxy to allow the request'],
    [{ status: 400, proxy: true }, 'Correct the request'],
    [{ status: 404, proxy: true }, 'Check the id and the base URL'],
    [{ status: 403, gateway: true }, 'Ask whoever runs the proxy to allow the request'],
    [
      { status: 403, gateway: true, charged: 'unknown', requiredScopes: ['a'] },
      'Use a key with a, or ask whoever runs the proxy to allow the request',
    ],
    [{ status: 404, gateway: true, charged: 'unknown' }, 'Check the base URL'],
    [{ status: 429, gateway: true, charged: 'unknown' }, 'Retry only if you can pay again'],
    [{ status: 403, requiredScopes: ['a', 'b'] }, 'Use a key with a and b, whose owner has the permission'],
    [{ status: 404 }, 'Check the id and the base URL'],
    [{ status: 401, code: 'oauth' }, ''],
    [{}, ''],
  ] as const)('says for %j: %s', (own, text) => {
    expect(words.whatToDo({ ...facts, ...own })).toBe(text)
  })
})

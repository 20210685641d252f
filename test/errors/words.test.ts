import { describe, expect, it } from 'vitest'
import { messages, sentences } from '../../scripts/docs/error-sentences.ts'
import * as words from '../../src/errors/words.ts'

const all = Object.entries(sentences).flatMap(([name, [, ...said]]) =>
  said.map((sentence) => [name, sentence] as const),
)

describe('the sentences of errors', () => {
  it('are all in the reference, each once', () => {
    const frames = ['costText', 'fullMessage', 'notSent']
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
      'microblog.search: rate limit reached (429); retry in 90 s',
      'microblog.search: the connection failed after the request was sent (ECONNRESET). You may have been charged 2 credits; a retry may repeat it.',
      'microblog.search: the response is not JSON (200, text/html: Welcome). You were charged 2 credits; the answer is in `error.body`.',
      'microblog.search: the response is not of the documented shape. You were charged 2 credits, and may have been charged 2 more; the answer is in `error.body`.',
      'mentions.setState: the service answered 500. The change may have been applied; a retry may repeat it.',
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

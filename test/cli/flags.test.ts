import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { flagOf, millisecondsOf, paramsFlag } from '../../src/cli/flags.ts'

/** The arguments that a command gets from a shell. */
const shellWords = (command: string): string[] =>
  execFileSync('sh', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)

const texts = [
  "it's",
  "'; echo run; '",
  '$HOME `id` $(id)',
  'a "b" \\ c',
  '*',
  '',
  ' a\n b ',
  '--all',
  '!!',
  '#',
]

describe('a flag that a command repeats', () => {
  it.skipIf(process.platform === 'win32').each(texts)('reaches the next command unchanged: %j', (text) => {
    expect(shellWords(paramsFlag({ query: text }))).toEqual(['--params', JSON.stringify({ query: text })])
    expect(shellWords(flagOf('fields', text).join(' '))).toEqual(['--fields', text])
  })

  it('is absent if it is not set', () => {
    expect([flagOf('all', undefined), flagOf('all', false), flagOf('maxPages', true)]).toEqual([
      [],
      [],
      ['--max-pages'],
    ])
  })
})

describe('millisecondsOf()', () => {
  it.each([
    ['1.5', 1500],
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['0.5h', 1_800_000],
    ['7d', 604_800_000],
  ])('reads %s', (text, ms) => {
    expect(millisecondsOf('--cache', text)).toBe(ms)
  })

  it.each(['', 'h', '1w', '1h30m', '-1h'])('refuses %j', (text) => {
    expect(() => millisecondsOf('--cache', text)).toThrow('--cache must be')
  })
})

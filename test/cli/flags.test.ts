import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { ageOf, millisecondsOf, shellWord } from '../../src/cli/flags.ts'

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

describe('shellWord()', () => {
  it.skipIf(process.platform === 'win32').each(texts)(
    'passes a word through a shell unchanged: %j',
    (text) => {
      expect(shellWords(shellWord(text))).toEqual([text])
    },
  )
})

describe('millisecondsOf()', () => {
  it.each([
    ['1.5', 1500],
    ['90s', 90_000],
    ['30m', 1_800_000],
    ['0.5h', 1_800_000],
    ['7d', 604_800_000],
  ])('reads %s', (text, ms) => {
    expect(millisecondsOf('--min-interval', text)).toBe(ms)
  })

  it.each(['', 'h', '1w', '1h30m', '-1h'])('refuses %j', (text) => {
    expect(() => millisecondsOf('--min-interval', text)).toThrow('--min-interval must be')
  })
})

describe('ageOf()', () => {
  it('reads days and hours', () => {
    expect([ageOf('--keep', '90d'), ageOf('--keep', '12h')]).toEqual([7_776_000_000, 43_200_000])
  })

  it.each(['', '0d', '-1d', '1.5d', '90', '99999999999d'])('refuses %j', (text) => {
    expect(() => ageOf('--keep', text)).toThrow('--keep must be days or hours')
  })
})

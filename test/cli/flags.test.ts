import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { shellWord } from '../../src/cli/flags.ts'

/** The arguments that a command gets from a shell. */
const shellWords = (command: string): string[] =>
  execFileSync('sh', ['-c', `printf '%s\\0' ${command}`], { encoding: 'utf8' })
    .split('\0')
    .slice(0, -1)

const signs = ['*', '', '--all', '!!', '#']
const texts = ["it's", "'; echo run; '", '$HOME `id` $(id)', 'a "b" \\ c', ' a\n b ', ...signs]

describe('shellWord()', () => {
  const onPosix = it.skipIf(process.platform === 'win32')
  onPosix.each(texts)('passes a word through a shell unchanged: %j', (text) => {
    expect(shellWords(shellWord(text))).toEqual([text])
  })
})

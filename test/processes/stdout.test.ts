import { rmSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { buildCommand, run } from './command.ts'

let command: { folder: string; file: string }
beforeAll(async () => (command = await buildCommand()))
afterAll(() => rmSync(command.folder, { recursive: true }))

const search = (...args: string[]) =>
  run(command, ['microblog', 'search', 'coffee', '--sandbox', '--limit', '3', ...args])

describe.runIf(process.platform !== 'win32')('social-search --out of the name of stdout', () => {
  it.each(['/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'])('writes to stdout when it is %s', async (name) => {
    const { code, out, err } = await search('--out', name)
    expect([code, err, out.trimEnd().split('\n').length]).toEqual([0, '', 3])
  })

  it('refuses to resume', async () => {
    const { code, err } = await search('--out', '/dev/stdout', '--resume')
    expect([code, err]).toEqual([2, expect.stringContaining('--resume needs --out, the file to continue')])
  })

  it('writes an inferred schema', async () => {
    const { code, out } = await run(command, ['infer', 'mentions.list', '--sandbox', '--out', '/dev/stdout'])
    expect([code, out]).toEqual([0, expect.stringContaining('z.infer')])
  })
})

import type { ChildProcess } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { linesOf } from '../support/command-line.ts'
import { type Ran, command, env, run, search, server, social, useCommand } from './command.ts'

useCommand()

/** Buys all pages, or some, in a shell, which passes the output on. */
function shell(redirection: string, before = '', flags = '--all --yes'): Promise<Ran> {
  const file = join(command.folder, 'shell.sh')
  writeFileSync(file, `${before}'${process.execPath}' '${command.file}' ${search} ${flags} ${redirection}`)
  return run({ ...command, file }, [], { env: env(), program: '/bin/sh' })
}

describe('stdout', () => {
  it('ends quietly when its reader closes the pipe, and buys no more pages', async () => {
    const { out, err } = await shell('| head -3')
    expect([err, linesOf(out).length]).toEqual(['', 3])
    // A pipe holds several pages before `head` has ended; all pages are 25.
    expect(server.requests.length).toBeLessThan(15)
  })

  it('reports a full disk, with the page on stderr and the command that continues', async () => {
    const { code, err } = await shell('> /dev/full')
    expect([code, server.requests.length]).toEqual([1, 1])
    expect(err).toMatch(/^social-search: ENOSPC[^]*\nTo continue: the same command with --cursor \S{20}/)
    expect(err.match(/^\{"id":/gm)).toHaveLength(20)
    expect((await shell('> /dev/full', '', '--limit 30')).err).toMatch(/--cursor \S{20}[^]* --limit 10\n/)
    // All that was asked for is there.
    expect((await shell('> /dev/full', '', '--limit 20')).err).not.toContain('To continue')
  })
})

it('each record of a paid page is in the file or on stderr when the disk is full in the middle of the page', async () => {
  const out = join(command.folder, 'full.jsonl')
  // It has room for a part of the first page: in `sh`, the limit is 2,048 blocks of 512 bytes.
  writeFileSync(out, '\n'.repeat(2 ** 20 - 5000))
  const { code, err } = await shell(`>> '${out}'`, 'ulimit -f 2048; ')
  const lines = [...linesOf(readFileSync(out, 'utf8')), ...linesOf(err)]
  const whole = lines.filter((line) => /^\{"id":.*\}$/.test(line))
  const ids = new Set(whole.map((line) => (JSON.parse(line) as { id: string }).id))
  expect([code, server.requests.length, ids.size]).toEqual([1, 1, 20])
})

describe('stderr', () => {
  it('does not end a run when its reader closes the pipe', async () => {
    const during = ({ stderr }: ChildProcess) => stderr?.destroy()
    expect(await social('search coffee --out closed.db', { during })).toMatchObject({ code: 0 })
  })
})

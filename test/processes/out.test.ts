import type { ChildProcess } from 'node:child_process'
import { readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { change, rowsOf } from '../support/posts-database.ts'
import { afterRequests, command, env, run, search, server, social, useCommand, when } from './command.ts'

useCommand()

let files = 0
const fileOf = (name: string) => join(command.folder, `${++files}-${name}`)

/** Runs a command whose files can have so many blocks of 512 bytes. */
function limited(line: string, blocks: number) {
  const file = fileOf('limited.sh')
  writeFileSync(file, `ulimit -f ${blocks}; exec '${process.execPath}' '${command.file}' "$@"`)
  return run({ ...command, file }, line, { env: env(), program: '/bin/sh' })
}

describe('--out', () => {
  it('keeps whole pages in a database when the disk is full, and loses no row when there is room again', async () => {
    const out = fileOf('full.db')
    const line = `${search} --all --yes --out ${out} --resume`
    await social(`${search} --max-pages 2 --out ${out}`)
    const { code, err } = await limited(line, Math.ceil(statSync(out).size / 512) + 40)
    expect([code, err]).toEqual([1, expect.stringContaining('To continue: the same command with --resume')])
    const rows = (file: string) => rowsOf(file, 'SELECT id FROM microblog_posts')
    expect(rows(out).length % 20).toBe(0)
    expect((await social(line)).code).toBe(0)
    const whole = fileOf('whole.db')
    await social(`${search} --all --yes --out ${whole}`)
    expect(rows(out)).toEqual(rows(whole))
  })

  it.each(['SIGINT', 'SIGHUP'] as const)(
    'finishes and writes the page under way on %s, and says how to continue',
    async (signal) => {
      server.inject({ delay: 300, times: Infinity })
      const during = afterRequests(2, (child) => child.kill(signal))
      const out = fileOf('interrupted.db')
      const { code, err } = await social(`${search} --all --yes --out ${out}`, { during })
      const said: unknown = expect.stringContaining('To continue: the same command with --resume')
      expect([code, err]).toEqual([130, said])
      const pages = server.requests.filter(({ charged }) => charged > 0).length
      expect(rowsOf(out, 'SELECT id FROM microblog_posts')).toHaveLength(20 * pages)
    },
  )

  it('goes on under nohup when its terminal is closed', async () => {
    const file = fileOf('nohup.sh')
    const waits = 'pid=$!; trap "kill -HUP $pid" HUP; wait $pid; wait $pid'
    writeFileSync(file, `nohup '${process.execPath}' '${command.file}' "$@" & ${waits}`)
    const during = afterRequests(2, (child) => child.kill('SIGHUP'))
    const line = `${search} --max-pages 4 --budget 20 --out ${fileOf('nohup.db')}`
    const { code } = await run({ ...command, file }, line, { env: env(), program: '/bin/bash', during })
    expect(code).toBe(0)
  })
})

/** Whether a process has opened a file. */
const hasOpened = ({ pid }: ChildProcess, path: string) =>
  readdirSync(`/proc/${pid}/fd`).some(
    (fd) => statSync(`/proc/${pid}/fd/${fd}`, { throwIfNoEntry: false })?.ino === statSync(path).ino,
  )
describe('SIGINT while another program has the file', () => {
  it.each(['find FILE coffee', `${search} --out FILE`])('ends %s', async (line) => {
    const path = fileOf('locked.db')
    await social(`${search} --out ${path}`)
    change(path, 'PRAGMA journal_mode = DELETE')
    const other = new DatabaseSync(path)
    other.exec('BEGIN EXCLUSIVE')
    const kill = (child: ChildProcess) => child.kill('SIGINT')
    const during = (child: ChildProcess) => when(() => hasOpened(child, path), kill)(child)
    // Nothing has to be tidied up, so the system ends it. Without the signal it would wait, then fail with 1.
    expect((await social(line.replace('FILE', path), { during })).code).toBe(null)
    other.close()
    expect(rowsOf(path, 'SELECT id FROM microblog_posts')).toHaveLength(20)
  })

  it('twice ends a watch whose budget waits for its file', async () => {
    const path = join(command.folder, 'state', 'social-search', 'shared.sqlite')
    let other: DatabaseSync | undefined
    const during = afterRequests(1, async (child) => {
      other = new DatabaseSync(path)
      other.exec('BEGIN IMMEDIATE')
      await sleep(1000)
      child.kill('SIGINT')
      await sleep(100)
      child.kill('SIGINT')
    })
    const ran = await social('watch coffee --min-interval 1s --budget 200/day', { during })
    other?.close()
    expect(ran.code).toBe(null)
  })
})

import type { ChildProcess } from 'node:child_process'
import {
  existsSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run } from './command.ts'
import { besides, cursors, newFile, search, undisturbed, useJobs } from './job.ts'
import { command, env, server } from './served-command.ts'

useJobs()

describe('--out', () => {
  it('buys no page that the disk has no room for, and goes on when it has', async () => {
    const { text } = await undisturbed()
    const out = newFile()
    const limited = join(command.folder, 'limited.sh')
    // The first page fits, and the space for the next one does not.
    writeFileSync(limited, `ulimit -f 300; exec '${process.execPath}' '${command.file}' "$@"`)
    const args = ['microblog', 'search', 'typescript', '--per-minute', 'off', '--all', '--yes', '--out', out]
    await search('typescript', {}, '--max-pages', '2', '--out', out)
    const full = await run({ folder: command.folder, file: limited }, args.concat('--resume'), {
      env: env(),
      program: '/bin/sh',
    })
    expect([full.code, server.requests.length]).toEqual([1, 2])
    expect(full.err).toContain('EFBIG')
    expect(full.err).toContain('To continue: the same command with --resume')
    expect((await search('typescript', {}, '--all', '--out', out, '--resume')).code).toBe(0)
    expect(readFileSync(out, 'utf8')).toBe(text)
    expect(besides(out)).toEqual(['.state.json'])
  })

  it('pays once when two commands start at once, also with --resume and through links', async () => {
    const { pages } = await undisturbed()
    for (let round = 0; round < 4; round++) {
      ;(server.requests as unknown[]).length = 0
      const out = newFile()
      const link = `${out}.link.jsonl`
      symlinkSync(out, link)
      server.inject({ delay: 1500 })
      const pids: (number | undefined)[] = []
      const options = { during: (child: ChildProcess) => void pids.push(child.pid) }
      const args = round % 2 === 0 ? ['--all'] : ['--all', '--resume']
      const both = await Promise.all(
        [out, link].map((path) => search('typescript', options, ...args, '--out', path)),
      )
      expect(both.map(({ code }) => code).sort()).toEqual([0, 2])
      const refused = both.findIndex(({ code }) => code === 2)
      expect(both[refused]?.err).toContain(`${out} is in use by process ${pids[1 - refused]}`)
      expect(cursors()).toEqual(pages)
    }
  }, 120_000)

  it.skipIf(!existsSync('/proc/self/stat'))(
    'is free at once when its process was killed, also if its pid belongs to another process now',
    async () => {
      const { text } = await undisturbed()
      const out = newFile()
      server.inject({ delay: 60_000 })
      const during = (child: ChildProcess): void => {
        const timer = setInterval(() => {
          if (server.requests.length === 0) return
          clearInterval(timer)
          child.kill('SIGKILL')
        }, 1)
      }
      await search('typescript', { during }, '--all', '--out', out)
      const lock = `${out}.lock`
      for (const name of readdirSync(lock))
        renameSync(join(lock, name), join(lock, name.replace(/^\d+/, String(process.pid))))
      expect(readdirSync(lock)).not.toEqual([])
      expect((await search('typescript', {}, '--all', '--out', out, '--resume')).code).toBe(0)
      expect(readFileSync(out, 'utf8')).toBe(text)
      expect(besides(out)).toEqual(['.state.json'])
    },
  )

  it('creates the target of a dangling link, and keeps the link', async () => {
    const { text } = await undisturbed()
    const out = newFile()
    const link = `${out}.link.jsonl`
    symlinkSync(basename(out), link)
    expect((await search('typescript', {}, '--max-pages', '1', '--out', link)).code).toBe(0)
    expect((await search('typescript', {}, '--all', '--out', link, '--resume')).code).toBe(0)
    expect([readlinkSync(link), readFileSync(out, 'utf8')]).toEqual([basename(out), text])
    expect(existsSync(`${link}.state.json`)).toBe(false)
  })

  it('leaves the files of a user as they are, whatever their names', async () => {
    const out = newFile()
    const own = newFile('txt')
    writeFileSync(own, 'own')
    for (const name of ['.reserve', '.state.json.tmp']) symlinkSync(own, out + name)
    expect((await search('typescript', {}, '--all', '--out', out)).code).toBe(0)
    expect(besides(out).sort()).toEqual(['.reserve', '.state.json', '.state.json.tmp'])
    expect(readFileSync(own, 'utf8')).toBe('own')
    const other = newFile()
    writeFileSync(`${other}.lock`, 'own')
    const before = server.requests.length
    const { code, err } = await search('typescript', {}, '--out', other)
    expect([code, err, server.requests.length]).toEqual([2, expect.stringContaining('.lock'), before])
    expect(readFileSync(`${other}.lock`, 'utf8')).toBe('own')
  })

  it('fails before it buys if the file cannot be written, and leaves nothing behind', async () => {
    const { code, err } = await search(
      'typescript',
      {},
      '--all',
      '--out',
      join(command.folder, 'none/posts.jsonl'),
    )
    expect([code, server.requests.length]).toEqual([2, 0])
    expect(err).toContain('does not exist')
  })

  it('makes no file for an invalid --budget', async () => {
    const out = newFile()
    expect((await search('typescript', {}, '--out', out, '--budget', '-1')).code).toBe(2)
    expect([existsSync(out), besides(out)]).toEqual([false, []])
  })
})

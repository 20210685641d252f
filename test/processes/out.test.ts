import {
  existsSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { failed } from '../support/command-line.ts'
import { command, env, run, server, social, when } from './command.ts'
import { all, besides, newFile, undisturbed, useJobs } from './job.ts'

useJobs()

describe('--out', () => {
  it('prints a page that the disk has no room for, and goes on when it has', async () => {
    const { text } = await undisturbed()
    const out = newFile()
    const file = join(command.folder, 'limited.sh')
    await social(`search typescript --max-pages 2 --out ${out}`)
    // In blocks of 512 bytes. One more page does not fit.
    const most = Math.ceil(statSync(out).size / 512) + 4
    writeFileSync(file, `ulimit -f ${most}; exec '${process.execPath}' '${command.file}' "$@"`)
    const resumed = `${all} --out ${out} --resume`
    const full = await run({ ...command, file }, resumed, { env: env(), program: '/bin/sh' })
    expect([full.code, server.requests.length]).toEqual([1, 3])
    expect(full.err).toContain('EFBIG')
    expect(full.err).toContain('The response, which may have been charged:')
    expect(full.err).toContain('To continue: the same command with --resume')
    expect((await social(resumed)).code).toBe(0)
    expect([readFileSync(out, 'utf8'), besides(out)]).toEqual([text, ['.state.json']])
  })

  it.skipIf(!existsSync('/proc/self/stat'))(
    'is free at once when its process was killed, also if its pid belongs to another process now',
    async () => {
      const { text } = await undisturbed()
      const out = newFile()
      server.inject({ delay: 60_000 })
      const during = when(
        () => server.requests.length > 0,
        (child) => child.kill('SIGKILL'),
      )
      await social(`${all} --out ${out}`, { during })
      const lock = `${out}.lock`
      for (const name of readdirSync(lock))
        renameSync(join(lock, name), join(lock, name.replace(/^\d+/, String(process.pid))))
      expect(readdirSync(lock)).not.toEqual([])
      expect((await social(`${all} --out ${out} --resume`)).code).toBe(0)
      expect([readFileSync(out, 'utf8'), besides(out)]).toEqual([text, ['.state.json']])
    },
  )

  it('creates the target of a dangling link, and keeps the link', async () => {
    const { text } = await undisturbed()
    const out = newFile()
    const link = `${out}.link.jsonl`
    symlinkSync(basename(out), link)
    expect((await social(`search typescript --out ${link}`)).code).toBe(0)
    expect((await social(`${all} --out ${link} --resume`)).code).toBe(0)
    expect([readlinkSync(link), readFileSync(out, 'utf8')]).toEqual([basename(out), text])
    expect(existsSync(`${link}.state.json`)).toBe(false)
  })

  it('leaves the files of a user as they are, whatever their names', async () => {
    const out = newFile()
    const own = newFile('txt')
    writeFileSync(own, 'own')
    for (const name of ['.reserve', '.state.json.tmp']) symlinkSync(own, out + name)
    expect((await social(`${all} --out ${out}`)).code).toBe(0)
    expect(besides(out).sort()).toEqual(['.reserve', '.state.json', '.state.json.tmp'])
    expect(readFileSync(own, 'utf8')).toBe('own')
    const other = newFile()
    writeFileSync(`${other}.lock`, 'own')
    const before = server.requests.length
    expect(await social(`${all} --out ${other}`)).toMatchObject(failed(2, '.lock'))
    expect([server.requests.length, readFileSync(`${other}.lock`, 'utf8')]).toEqual([before, 'own'])
  })
})

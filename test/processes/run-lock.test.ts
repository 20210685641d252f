import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { RunLock } from '../../src/cli/run-lock.ts'
import { command, server, social, useCommand, when } from './command.ts'

useCommand()

/** A folder of a test. */
function newFolder(name: string): string {
  const folder = join(command.folder, name)
  mkdirSync(folder)
  return folder
}

describe('RunLock', () => {
  it('has one owner at a time, and is free after each of 60 kills', async () => {
    const folder = newFolder('kills')
    const [out, log] = [join(folder, 'out'), join(folder, 'log')]
    const program = fileURLToPath(new URL('run-lock/owner.ts', import.meta.url))
    let errors = ''
    const start = (): ChildProcess => {
      const child = spawn(process.execPath, [program, out, log])
      child.stderr.on('data', (data: Buffer) => (errors += String(data)))
      return child
    }
    const killed = new Set<number | undefined>()
    const children = Array.from({ length: 4 }, start)
    const kill = async (child: ChildProcess): Promise<void> => {
      const closed = once(child, 'close')
      killed.add(child.pid)
      child.kill('SIGKILL')
      await closed
    }
    onTestFinished(() => children.forEach((child) => child.kill('SIGKILL')))
    const taken = (): number => (existsSync(log) ? readFileSync(log, 'utf8').length : 0)
    for (let kills = 0; kills < 60; kills++) {
      const before = taken()
      await expect.poll(taken, { interval: 5 }).toBeGreaterThan(before)
      await sleep(Math.random() * 20)
      expect(errors).toBe('')
      const [victim] = children.splice(Math.floor(Math.random() * 4), 1, start())
      if (victim !== undefined) await kill(victim)
    }
    await Promise.all(children.map(kill))

    let interrupted = 0
    let owner: number | null = null
    for (const line of readFileSync(log, 'utf8').trimEnd().split('\n')) {
      const pid = Number(line.slice(1))
      if (line.startsWith('-')) expect(pid).toBe(owner)
      else if (owner !== null) {
        expect(killed).toContain(owner)
        interrupted++
      }
      owner = line.startsWith('+') ? pid : null
    }
    expect(interrupted).toBeGreaterThan(0)
    await RunLock.take(out).then((lock) => lock.release())
    expect(readdirSync(folder).sort()).toEqual(['log', 'out'])
  })

  it('is free while the process that had it is still being killed', async () => {
    const folder = newFolder('dying')
    const out = join(folder, 'out')
    const during = when(
      () => existsSync(`${out}.lock`),
      async (child) => {
        child.kill('SIGKILL')
        ;(await RunLock.take(out)).release()
        free++
      },
    )
    let free = 0
    for (let kills = 0; kills < 10; kills++) {
      expect((await social(`watch coffee --sandbox --state ${out}`, { during })).code).toBe(null)
      await expect.poll(() => free).toBe(kills + 1)
    }
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('two runs of a job at once', () => {
  it.each(['search coffee --out x.jsonl', 'search coffee --out x.db', 'watch coffee --once --state x.json'])(
    'pay once, and one of them says so: %s',
    async (line) => {
      server.inject({ delay: 1500 })
      const both = await Promise.all([social(line), social(line)])
      expect(both.map(({ code }) => code).sort()).toEqual([0, 2])
      expect(both.map(({ err }) => err).join('')).toMatch(/is in use by another run|x\.jsonl exists/)
      expect(server.requests).toHaveLength(1)
    },
  )
})

describe('login', () => {
  it('stores one whole key when many run at once', async () => {
    const login = 'login --no-check --base-url https://api.example/v1'
    const logins = Array.from({ length: 8 }, (_, i) => social(login, { input: `org_live_key_${i}` }))
    expect((await Promise.all(logins)).map(({ code, err }) => [code, err])).toEqual(logins.map(() => [0, '']))
    const folder = join(command.folder, 'config/social-search')
    expect(readdirSync(folder)).toEqual(['login.json'])
    expect(readFileSync(join(folder, 'login.json'), 'utf8')).toMatch(/"apiKey":"org_live_key_\d"}\n$/)
  })
})

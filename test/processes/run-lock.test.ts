import { existsSync, mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
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

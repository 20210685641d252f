import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { command, server, social, useCommand } from './command.ts'

useCommand()

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

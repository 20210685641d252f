import { chmodSync, existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { failed } from '../support/command-line.ts'
import { folder, sandbox, social, useCommand } from './command.ts'

useCommand()

const stored = join(folder, 'config/social-search/login.json')
const logIn = () => social('login', { input: `${sandbox.apiKey}\n` })

describe('a stored login', () => {
  it('replaces the one before, and logout removes it with what a killed process has left', async () => {
    await logIn()
    const before = readFileSync(stored, 'utf8')
    vi.stubEnv('SOCIAL_SEARCH_BASE_URL', 'https://other.example/v1')
    expect((await logIn()).code).toBe(0)
    expect(readFileSync(stored, 'utf8')).not.toBe(before)
    writeFileSync(`${stored}.new`, sandbox.apiKey)
    expect((await social('logout')).out).toContain('the key itself is still valid')
    expect(readdirSync(join(folder, 'config/social-search'))).toEqual([])
    expect(await social('logout')).toMatchObject({ code: 0, out: 'You are not logged in\n' })
  })

  it.skipIf(process.platform === 'win32')(
    'has mode 600 when a killed process has left a file of another mode',
    async () => {
      mkdirSync(dirname(stored), { recursive: true })
      writeFileSync(`${stored}.new`, '', { mode: 0o644 })
      expect((await logIn()).code).toBe(0)
      expect(statSync(stored).mode & 0o777).toBe(0o600)
    },
  )

  it.skipIf(process.platform === 'win32').each(['640', '620', '604'])(
    'is refused when other users can read or replace it, with mode %s',
    async (mode) => {
      await logIn()
      chmodSync(stored, `0${mode}`)
      vi.stubEnv('SOCIAL_SEARCH_API_KEY', '')
      expect(await social('search coffee')).toMatchObject(failed(3, 'can be read by other users'))
      expect(existsSync(stored)).toBe(true)
    },
  )
})

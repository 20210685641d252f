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

describe.skipIf(process.platform === 'win32')('without a folder of the user', () => {
  it.each([
    [
      'an empty HOME',
      { HOME: '', XDG_CONFIG_HOME: undefined, XDG_STATE_HOME: undefined },
      1,
      'no home folder',
    ],
    ['a relative HOME', { HOME: '.', XDG_CONFIG_HOME: '', XDG_STATE_HOME: '' }, 1, 'no home folder'],
    [
      'a relative path',
      { XDG_CONFIG_HOME: 'config', XDG_STATE_HOME: 'state' },
      2,
      'must be an absolute path',
    ],
  ])('nothing is written into the current one: %s', async (_, env, code, message) => {
    for (const [name, value] of Object.entries(env)) vi.stubEnv(name, value)
    expect(await logIn()).toMatchObject(failed(code, message))
    for (const line of ['budget 4/day', 'logout', 'logout --account acme'])
      expect(await social(line)).toMatchObject(failed(code, message))
    expect(readdirSync(folder)).toEqual([])
  })

  it('a command works that finds its key elsewhere, and one that keeps a budget says what it needs', async () => {
    for (const name of ['HOME', 'XDG_CONFIG_HOME', 'XDG_STATE_HOME']) vi.stubEnv(name, '')
    expect(await social('search coffee')).toMatchObject({ code: 0, err: '' })
    expect(sandbox.requests).toHaveLength(1)
    const { code, err } = await social('search coffee --budget 4/day')
    expect([code, err]).toEqual([1, expect.stringContaining('set HOME, or XDG_STATE_HOME')])
    vi.stubEnv('SOCIAL_SEARCH_API_KEY', '')
    expect(await social('search coffee')).toMatchObject(failed(3, 'no key for this address'))
    expect([sandbox.requests.length, readdirSync(folder)]).toEqual([1, []])
  })
})

import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { command, social, useCommand } from './command.ts'

useCommand()

const folder = () => join(command.folder, 'cache/social-search')
const cached = 'search coffee --cache 1h'

describe('--cache', () => {
  it('keeps the answers of the sandbox, too', async () => {
    await social(`${cached} --sandbox`)
    expect((await social(`${cached} --sandbox`)).err).toContain('0 credits, 2 saved')
  })
})

describe('logout', () => {
  it('deletes the stored answers of its login, and no others', async () => {
    for (const flags of ['', '--profile work']) {
      expect((await social(`login --no-check ${flags}`, { input: 'a_key' })).code).toBe(0)
      expect((await social(`${cached} --sandbox ${flags}`)).code).toBe(0)
    }
    const stored = () => readdirSync(folder(), { recursive: true }).map(String).toSorted()
    expect(stored()).toEqual(['answers.sqlite', 'profiles', 'profiles/work', 'profiles/work/answers.sqlite'])
    expect((await social('logout --profile work')).code).toBe(0)
    expect(stored()).toEqual(['answers.sqlite', 'profiles', 'profiles/work'])
    await social('logout --profile work')
    expect(stored()).toContain('answers.sqlite')
    await social('logout')
    expect(stored()).toEqual(['profiles', 'profiles/work'])
  })
})

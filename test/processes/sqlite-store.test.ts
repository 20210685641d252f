import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { SharedBudget, sqliteStore } from '../../src/extensions/shared/index.ts'
import { newFolder } from '../support/folder.ts'

const opener = new URL('sqlite-store/opener.ts', import.meta.url)
const spender = new URL('sqlite-store/spender.ts', import.meta.url)

function start(program: URL, ...args: string[]) {
  const child = Object.assign(spawn(process.execPath, [fileURLToPath(program), ...args]), { errors: '' })
  child.stderr.on('data', (data: Buffer) => (child.errors += String(data)))
  onTestFinished(() => void child.kill('SIGKILL'))
  return child
}

describe('sqliteStore()', () => {
  it('opens a new file 72 times at once, in eight processes', async () => {
    const path = join(newFolder(), 'shared.sqlite')
    const children = Array.from({ length: 8 }, () => start(opener, path))
    await Promise.all(children.map((child) => once(child.stdout, 'data')))
    for (const child of children) child.stdin.end('go')
    await Promise.all(children.map((child) => once(child, 'close')))
    expect(children.map(({ exitCode, errors }) => [exitCode, errors])).toEqual(children.map(() => [0, '']))
    const read = (value?: string) => ({ result: value })
    expect(await sqliteStore(path).update('opened', read)).toBe('72')
  })

  it('keeps a budget exactly for four processes through 10 SIGKILLs and 3 SIGSTOPs', async () => {
    const folder = newFolder()
    const [path, log] = [join(folder, 'shared.sqlite'), join(folder, 'log')]
    const limit = 6000
    const begin = () => start(spender, path, log, String(limit))
    const children = [begin(), begin(), begin(), begin()]
    const spent = () => (existsSync(log) ? readFileSync(log).length * 2 : 0)
    for (let turn = 0; turn < 13; turn++) {
      const before = spent()
      await expect.poll(spent, { interval: 5 }).toBeGreaterThan(before + 60)
      const victim = children[turn % 4]!
      if (turn % 5 === 4 || turn === 12) {
        // Longer than the lease of its reservations.
        victim.kill('SIGSTOP')
        await sleep(1200)
        victim.kill('SIGCONT')
      } else {
        victim.kill('SIGKILL')
        children[turn % 4] = begin()
      }
    }
    for (const child of children) if (child.exitCode === null) await once(child, 'close')
    expect(children.map(({ exitCode, errors }) => [exitCode, errors])).toEqual(children.map(() => [0, '']))
    const summary = await new SharedBudget({ store: sqliteStore(path), name: 'shared', limit }).summary()
    expect(summary).toMatchObject({ remaining: 0, reserved: 0 })
    expect(summary.spent).toBeLessThanOrEqual(spent())
    expect(summary.spent + summary.uncertain).toBe(limit)
    expect(spent()).toBeLessThanOrEqual(limit)
    // What a killed process had reserved.
    expect(summary.uncertain).toBeLessThanOrEqual(10 * 4)
  })
})
